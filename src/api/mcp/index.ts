export { addMcp, type McpParts } from './endpoint.ts'
