import { z } from 'zod'

/** Who had an action proposed: a person in a chat, an agent that had read a skill for it, or a schedule. */
export type Origin = 'chat' | `skill ${string}` | `schedule ${string}`

const Metadata = z.looseObject({ proposedBy: z.string().regex(/^(chat|(skill|schedule) [a-z0-9-]{1,64})$/) })

/** How a submission carries its origin. The policy reads none of it. */
export function originMetadata(origin: Origin): Readonly<{ proposedBy: string }> {
  return { proposedBy: origin }
}

/** What an action counts under: the name of its skill, or `chat`. */
export function originName(metadata: unknown): string {
  const read = Metadata.safeParse(metadata)
  return read.success ? read.data.proposedBy.replace(/^(skill|schedule) /, '') : 'chat'
}
