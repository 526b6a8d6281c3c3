import type { z } from 'zod'
import type { Principal } from '../../auth/index.ts'
import type { Scope } from '../../schema/scope.ts'
import type { Services } from '../services.ts'

/** What a tool may work with. */
export type McpServices = Pick<Services, 'policy'>

type Spec<input extends z.ZodObject, output extends z.ZodObject> = Readonly<{
  /** As clients know it (contract section 8). */
  name: string
  title: string
  description: string
  input: input
  output: output
  /** The caller needs one of them. */
  scopes: readonly [Scope, ...Scope[]]
  /** Whether it changes nothing; whether calling it again with the same changes nothing more. */
  hints: Readonly<{ readOnly: boolean; idempotent: boolean }>
}>

type Call<input extends z.ZodObject> = Readonly<{ args: z.output<input>; principal: Principal; signal: AbortSignal }>

/** A tool of the MCP endpoint. It calls the same operations as the REST interface, for the same principals. */
export type McpTool = Spec<z.ZodObject, z.ZodObject> &
  Readonly<{
    call(
      request: Readonly<{ args: unknown; principal: Principal; signal: AbortSignal }>,
      services: McpServices,
    ): Promise<object>
  }>

/** Declares a tool, then what it does. */
export function mcpTool<input extends z.ZodObject, output extends z.ZodObject>(spec: Spec<input, output>) {
  return {
    does: (work: (call: Call<input>, services: McpServices) => Promise<z.input<output>>): McpTool => ({
      ...spec,
      // The arguments were parsed by `input` before they come here.
      call: ({ args, principal, signal }, services) =>
        work({ args: args as z.output<input>, principal, signal }, services),
    }),
  }
}
