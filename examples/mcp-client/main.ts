// Run with: node examples/mcp-client/main.ts http://localhost:4747/api/mcp
import { connect } from './connect.ts'

const [endpoint = 'http://localhost:4747/api/mcp'] = process.argv.slice(2)
const client = await connect(new URL(endpoint), (address) =>
  console.log(`Open this in your browser:\n\n  ${address.href}\n`),
)

const { tools } = await client.listTools()
console.log(`Connected. The tools are: ${tools.map(({ name }) => name).join(', ')}`)
const { structuredContent } = await client.callTool({ name: 'list_transactions', arguments: { limit: 5 } })
console.log('Your last submissions:', JSON.stringify(structuredContent, null, 2))
await client.close()
