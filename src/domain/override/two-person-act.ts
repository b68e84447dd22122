/** A person, under the login of the moment at which they acted. */
export interface ActingPerson {
  /** The numeric id on the code host: whoever is renamed is still the same. */
  readonly id: number;
  readonly login: string;
}

/** Something that one admin asks for and that means nothing before another one confirms it. */
export interface TwoPersonAct {
  readonly id: string;
  readonly reason: string;
  readonly requestedBy: ActingPerson;
  /** Null until somebody confirmed it. */
  readonly confirmedBy: ActingPerson | null;
  readonly confirmedAt: Date | null;
  /** Until when it may be confirmed, and once it is, until when it holds. */
  readonly expiresAt: Date;
}

/** One that a second person agreed to. */
export type Confirmed<A extends TwoPersonAct> = A & { readonly confirmedBy: ActingPerson; readonly confirmedAt: Date };

/** Whether it holds at this moment: confirmed by a second person, and not over yet. */
export const isInForce = <A extends TwoPersonAct>(act: A, now: Date): act is Confirmed<A> =>
  act.confirmedBy !== null &&
  act.confirmedAt !== null &&
  act.confirmedBy.id !== act.requestedBy.id &&
  // Asked the way round in which a moment that is none holds nothing.
  act.confirmedAt.getTime() <= now.getTime() &&
  now.getTime() < act.expiresAt.getTime();

/** The next moment at which one of them comes into force or ends, in milliseconds since the epoch; Infinity where none does. */
export const nextEdge = (acts: readonly TwoPersonAct[], now: Date): number =>
  Math.min(
    ...acts
      .flatMap(({ confirmedAt, expiresAt }) => (confirmedAt ? [confirmedAt.getTime(), expiresAt.getTime()] : []))
      .filter((at) => at > now.getTime()),
  );

/** Why a person may not confirm it now, or null. */
export function confirmationProblem(
  { requestedBy, confirmedBy, expiresAt }: TwoPersonAct,
  by: ActingPerson,
  now: Date,
): 'own' | 'confirmed' | 'expired' | null {
  if (by.id === requestedBy.id) return 'own';
  if (confirmedBy !== null) return 'confirmed';
  return now.getTime() < expiresAt.getTime() ? null : 'expired';
}
