/**
 * How many times a generated test runs: `usual` on every change, `full` with `TEST_VOLUME=full`, the volume that the
 * product's claims were shown at. The test is the same; only the number of its cases differs.
 */
export function volume(usual: number, full: number): number {
  return process.env['TEST_VOLUME'] === 'full' ? full : usual
}
