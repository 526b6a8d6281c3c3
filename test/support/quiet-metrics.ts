import type { Metrics } from '../../src/api/index.ts'

/** Metrics that count nothing. */
export const quietMetrics: Metrics = { request() {}, text: async () => '' }
