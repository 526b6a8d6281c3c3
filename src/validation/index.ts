export type { Inspection, Known, Model, Simulated, Surroundings, TokenIdentity, Trial } from './inspection.ts'
export { createValidator, type Validator } from './validator.ts'
