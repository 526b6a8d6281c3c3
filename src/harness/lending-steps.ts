import type { Address } from '../lib/address.ts'
import type { TokenInfo } from '../registry/index.ts'
import { amountText } from './amount.ts'
import { tokenApproval } from './token-calldata.ts'
import type { ProposedStep, Reader } from './tool.ts'

/** What a deposit takes from the wallet: so much of a token, by that contract. */
export type Taken = Readonly<{ token: TokenInfo; spender: Address; amount: bigint }>

/** A deposit, behind the approval that it needs: of exactly its amount. */
export async function depositSteps(
  deposit: ProposedStep,
  { token, spender, amount }: Taken,
  reader: Pick<Reader, 'allowance'>,
): Promise<readonly [...ProposedStep[], ProposedStep]> {
  const allowed = await reader.allowance(token.address, spender)
  if (allowed >= amount) return [deposit]
  const approve = (summary: string, value: bigint): ProposedStep => ({
    summary,
    tx: tokenApproval(token.chainId, token.address, spender, value),
  })
  return [
    // Some tokens refuse to change an allowance that is not zero.
    ...(allowed > 0n ? [approve(`Reset the approval of ${token.symbol} for ${spender}`, 0n)] : []),
    approve(`Approve ${amountText(amount, token)} for ${spender}`, amount),
    deposit,
  ]
}
