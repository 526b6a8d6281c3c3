/** Kinds of routes that are limited together (specification 8, contract section 8). */
export type LimitName = 'agent' | 'partner' | 'partnerPolicy' | 'public' | 'auth' | 'admin'
