import type { Schema } from '../../api/client.js';

type Actor = Schema<'Condition'>['actor'];

/** The order of the groups of conditions if the viewer belongs to none of them. */
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

/** Groups conditions by their actor, the own groups first. The order within a group is that of the service. */
export function groupByActor<Condition extends Pick<Schema<'Condition'>, 'actor'>>(
  conditions: readonly Condition[],
  own: readonly Actor[],
): readonly { readonly actor: Actor; readonly isOwn: boolean; readonly conditions: readonly Condition[] }[] {
  const rest = ACTORS.filter((actor) => !own.includes(actor));
  return [...own, ...rest]
    .map((actor) => ({
      actor,
      isOwn: own.includes(actor),
      conditions: conditions.filter((condition) => condition.actor === actor),
    }))
    .filter((group) => group.conditions.length > 0);
}
