import type { Chains } from '../chain/index.ts'
import type { Storage, Stores } from '../storage/index.ts'
import type { Auth } from './auth.ts'
import { type Connections, createConnections } from './connections.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { createSignIn, type SignIn } from './sign-in.ts'
import { createTokenKeys, type TokenKeys } from './token-keys.ts'
import { type User, userOf } from './user.ts'
import { createUserKeys, type UserKeys } from './user-keys.ts'

/** Everything by which a person shows who they are, and lets programs act for them. */
export type Identity = Readonly<{
  signIn: SignIn
  sessions: Sessions
  connections: Connections
  userKeys: UserKeys
  tokenKeys: TokenKeys
  /** What the authorization server keeps. */
  oauthRecords: Stores['oauthRecords']
  /** The user of an id. */
  user(id: string): Promise<User | undefined>
}>

/** Builds it all over a store. `publicUrl` is the API's address as clients see it. */
export function createIdentity({
  storage,
  auth,
  chains,
  publicUrl,
}: Readonly<{ storage: Storage; auth: Auth; chains: Chains; publicUrl: string }>): Identity {
  const { users, oauthRecords } = storage.stores
  const tokenKeys = createTokenKeys({ storage })
  return {
    signIn: createSignIn({ storage, chains, publicUrl }),
    sessions: createSessions({ storage, keys: tokenKeys, publicUrl }),
    connections: createConnections({ storage, auth }),
    userKeys: createUserKeys({ storage, auth }),
    tokenKeys,
    oauthRecords,
    async user(id) {
      const row = await users.get(id)
      return row && userOf(row)
    },
  }
}
