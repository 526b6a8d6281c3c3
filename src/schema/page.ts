import { z } from 'zod'

/** Query of every list (contract section 8). `cursor` is the `nextCursor` of the page before. */
export const PageQuery = z.strictObject({
  limit: z
    .string()
    .regex(/^([1-9][0-9]?|100)$/, 'expected a whole number from 1 to 100')
    .transform(Number)
    .optional(),
  cursor: z.string().min(1).max(256).optional(),
})
export type PageQuery = z.output<typeof PageQuery>

/** Items of a page when `limit` is not given. */
export const DEFAULT_PAGE_SIZE = 20

/** One page of a list; `nextCursor` is null on the last. */
export function pageOf<item extends z.ZodType>(item: item) {
  return z.strictObject({ items: z.array(item).readonly(), nextCursor: z.string().nullable() })
}
