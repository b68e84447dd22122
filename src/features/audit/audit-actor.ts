/** Who did it: a person, under the login of that moment, or the service of its own accord. */
export type AuditActor =
  { readonly type: 'person'; readonly id: number; readonly login: string } | { readonly type: 'service' };
