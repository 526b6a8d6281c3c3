import type { Scene } from './conversation.ts'

/** What a demo plays in: its scenes, the settings of the harness, and what is there at the end. */
export type World = Readonly<{
  conversation: readonly Scene[]
  env: Readonly<Record<string, string>>
  file: object
  ending(): Promise<string>
}>

/** What a world is opened with: what it has to close in the end, and how far it is. */
export type Opened = Readonly<{ opened: (() => Promise<void>)[]; progress(step: string): void }>
