import type { MemberRole, Person } from '../../auth/user.js';

/** Somebody who belongs to the workspace. */
export interface Teammate {
  readonly person: Person;
  readonly role: MemberRole;
  readonly joinedAt: Date;
}

/** Who is a member, or was, has signed in once and is known ever since. */
export function personIn(people: ReadonlyMap<number, Person>, id: number): Person {
  const person = people.get(id);
  if (!person) throw new Error(`Person ${id} belongs to a team and never signed in.`);
  return person;
}
