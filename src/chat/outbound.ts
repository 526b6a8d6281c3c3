import { z } from 'zod'
import type { Outbound } from '../harness/index.ts'

const Card = z.object({
  requestHash: z.string(),
  chainId: z.int().optional(),
  title: z.string(),
  outcome: z.enum(['pending', 'approved', 'rejected']),
  reasonCode: z.string(),
  reason: z.string(),
  lines: z.array(z.object({ label: z.string(), text: z.string() })),
  checks: z.array(
    z.object({ id: z.string(), status: z.enum(['passed', 'failed', 'not_checked']), reason: z.string() }),
  ),
  execution: z
    .object({
      mode: z.enum(['dry-run', 'direct']),
      ok: z.boolean(),
      text: z.string(),
      txHash: z.string().nullable(),
      explorerUrl: z.url({ protocol: /^https$/ }).optional(),
    })
    .nullable(),
})

const Button = z.object({ id: z.string(), label: z.string(), style: z.enum(['go', 'stop', 'plain']) })

const Known: z.ZodType<Outbound> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('status'), text: z.string() }),
  z.object({ type: z.literal('verdict'), card: Card, buttons: z.array(Button).optional() }),
  z.object({ type: z.literal('picture'), title: z.string(), png: z.string() }),
  z.object({ type: z.literal('error'), text: z.string() }),
  z.object({ type: z.literal('end') }),
])

/** What a harness told, from its JSON. What is not understood is said to be so, and never taken for something else. */
export function parseOutbound(json: string): Outbound {
  try {
    const parsed = Known.safeParse(JSON.parse(json))
    if (parsed.success) return parsed.data
  } catch {
    // It is no JSON.
  }
  return { type: 'error', text: 'The harness said something that this client does not understand.' }
}
