/** What `npm run init` was told; an empty text is no answer. */
export type Answers = Readonly<{
  name: string
  dialect: string
  model: string
  baseUrl: string
  chainId: string
  wallet: string
  rpcUrl: string
  perTxUsd: string
  outflow24hUsd: string
}>

/** The dialects that can be chosen, and none. */
export const DIALECTS = ['anthropic-messages', 'openai-responses', 'openai-completions', 'none'] as const

const KEY_OF: Readonly<Record<string, string>> = {
  'anthropic-messages': 'ANTHROPIC_API_KEY',
  'openai-responses': 'OPENAI_API_KEY',
  'openai-completions': 'OPENAI_API_KEY',
}

/** The configuration file: one agent, one provider, and a policy that is narrow. */
export function configOf(answers: Answers): object {
  const { name, dialect, model, baseUrl, chainId } = answers
  const key = KEY_OF[dialect]
  return {
    $schema: './agents.config.schema.json',
    agents: [{ id: 'main', name, budget: { turn: { tokens: 200_000 }, day: { tokens: 2_000_000 } } }],
    ...(key !== undefined && {
      providers: {
        main: {
          api: dialect,
          apiKey: { env: key },
          ...(baseUrl !== '' && { baseUrl }),
          models: [{ id: model }],
        },
      },
    }),
    chain: { id: Number(chainId) },
    policy: {
      venues: { allow: ['uniswap', 'weth', 'erc20', 'native', 'permit2'] },
      chains: { allow: [Number(chainId)] },
      slippage: { maxBps: 100 },
      caps: { perTxUsd: Number(answers.perTxUsd), outflow24hUsd: Number(answers.outflow24hUsd) },
      approvalTtlSeconds: 120,
    },
  }
}

/** The environment: a dry run, a store on disk, and secrets that nobody chose. */
export function envOf(
  { dialect, wallet, rpcUrl }: Answers,
  secret: () => string,
): readonly Readonly<{ name: string; value: string }>[] {
  const key = KEY_OF[dialect]
  return [
    { name: 'EXECUTION_MODE', value: 'dry-run' },
    ...(key === undefined ? [] : [{ name: key, value: '' }]),
    { name: 'WALLET_ADDRESS', value: wallet },
    { name: 'RPC_URL', value: rpcUrl },
    { name: 'PRIVATE_KEY', value: '' },
    { name: 'DATABASE_URL', value: 'file:countersign.sqlite' },
    { name: 'SERVICE_API_KEY', value: secret() },
    { name: 'SERVICE_ADMIN_KEY', value: secret() },
    { name: 'CONSOLE_TOKEN', value: secret() },
  ]
}
