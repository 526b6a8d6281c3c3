/** A JSON value, as it is stored beside what this module gives a type of its own. An undefined member is left out. */
export type Json = string | number | boolean | null | readonly Json[] | Readonly<{ [member: string]: Json | undefined }>
