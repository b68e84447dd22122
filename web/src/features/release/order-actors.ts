import type { Schema } from '../../api/client.js';

type Actor = Schema<'Condition'>['actor'];

/** The order of conditions by their actor if the viewer belongs to no group. */
const ACTORS = ['team', 'reviewer', 'ci', 'deployer', 'admin', 'service'] as const satisfies Actor[];

const WRITERS: readonly Schema<'ReleaseViewer'>['permission'][] = ['write', 'maintain', 'admin'];

/** The groups of actors that the viewer belongs to. It orders conditions, and permits nothing. */
export const listOwnActors = (viewer: Schema<'ReleaseViewer'>, isAdmin: boolean): readonly Actor[] =>
  ACTORS.filter(
    (actor) =>
      (actor === 'team' && WRITERS.includes(viewer.permission)) ||
      (actor === 'reviewer' && viewer.eligibility.status === 'eligible') ||
      (actor === 'admin' && isAdmin),
  );

/** Sorts conditions by their actor, those of the own groups first. The order for one actor is that of the service. */
export function sortByActor<Condition extends Pick<Schema<'Condition'>, 'actor'>>(
  conditions: readonly Condition[],
  own: readonly Actor[],
): readonly Condition[] {
  const order = [...own, ...ACTORS.filter((actor) => !own.includes(actor))];
  return order.flatMap((actor) => conditions.filter((condition) => condition.actor === actor));
}
