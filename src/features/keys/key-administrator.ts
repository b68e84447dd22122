import type { MemberCaller } from '../../auth/caller.js';
import type { OrgId } from '../../database/ids.js';
import type { AuditActor } from '../audit/audit-actor.js';

/** Whoever runs the service, on its command line. */
interface Operator {
  readonly kind: 'operator';
  readonly orgId: OrgId;
}

/** Who makes, lists and revokes keys: a member, who sees what the code host lets them see, or the operator. */
export type KeyAdministrator = Pick<MemberCaller, 'kind' | 'orgId' | 'person' | 'viewer'> | Operator;

export const auditActorOf = (by: KeyAdministrator): AuditActor =>
  by.kind === 'operator' ? { type: 'service' } : { type: 'person', id: by.person.id, login: by.person.login };
