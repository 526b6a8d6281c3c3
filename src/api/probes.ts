import type { Route } from './route.ts'
import { routes } from './routes/index.ts'

/** What a process serves that only acts: whether it lives, whether it is ready, and its metrics. */
export const probes: readonly Route[] = routes.filter(({ path }) => ['/health', '/ready', '/metrics'].includes(path))
