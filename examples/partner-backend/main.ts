// Run with: APP_ID=… INTEGRATION_KEY=… WALLET=0x… node examples/partner-backend/main.ts
import { verify } from './verify.ts'

const { BASE_URL = 'http://127.0.0.1:4747/api', APP_ID = '', INTEGRATION_KEY = '', WALLET = '' } = process.env
const partner = { baseUrl: BASE_URL, appId: APP_ID, apiKey: INTEGRATION_KEY }
const proposedTx = { protocol: 'native', chainId: 1, to: WALLET, data: '0x', value: '1' }

try {
  const { verdict, id } = await verify(partner, { walletAddress: WALLET, proposedTx })
  if (verdict?.outcome === 'approved')
    console.log(`Approved: sign exactly these bytes, then report the hash for ${id}.`)
  else console.log(`Not approved: ${verdict?.reasonCode ?? 'no verdict'}. ${verdict?.humanReason ?? ''}`)
} catch (thrown) {
  console.error(`Not approved. ${String(thrown)}`)
  process.exitCode = 1
}
