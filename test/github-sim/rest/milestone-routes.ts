import type { Milestone, MilestoneEdits } from '../state/milestones.js';
import { milestoneView } from '../views/milestone-view.js';
import { invalid, notFound } from './api-error.js';
import type { RepositoryCall } from './call.js';
import { created, repositoryRoute, ok, type Route } from './route.js';

export const milestoneRoutes: readonly Route[] = [
  repositoryRoute('GET', '/milestones', 'issues|pull_requests:read', (call) => {
    const state = call.query('state') ?? 'open';
    const requested = call.repository.milestones.list().filter((one) => state === 'all' || one.state === state);
    return call.page(sorted(requested, call.query('sort'), call.query('direction')), milestoneView);
  }),
  repositoryRoute('POST', '/milestones', 'issues|pull_requests:write', (call) => {
    const title = call.requiredText('title');
    if (call.repository.milestones.findByTitle(title)) throw invalid({ field: 'title', code: 'already_exists' });
    const milestone = call.repository.milestones.create({
      title,
      description: call.text('description') ?? null,
      dueOn: dueOn(call) ?? null,
      by: call.actor,
    });
    if (call.text('state') === 'closed') call.repository.milestones.close(milestone, call.actor);
    return created(milestoneView(milestone));
  }),
  repositoryRoute('GET', '/milestones/:number', 'issues|pull_requests:read', (call) =>
    ok(milestoneView(milestoneOf(call))),
  ),
  repositoryRoute('PATCH', '/milestones/:number', 'issues|pull_requests:write', (call) => {
    const milestone = milestoneOf(call);
    const [title, description, state] = [call.text('title'), call.text('description'), call.text('state')];
    const due = dueOn(call);
    const edits: MilestoneEdits = {
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...((state === 'open' || state === 'closed') && { state }),
      ...(due !== undefined && { dueOn: due }),
    };
    call.repository.milestones.edit(milestone, edits, call.actor);
    return ok(milestoneView(milestone));
  }),
];

function milestoneOf(call: RepositoryCall): Milestone {
  const milestone = call.repository.milestones.find(call.number('number'));
  if (!milestone) throw notFound();
  return milestone;
}

function dueOn(call: RepositoryCall): Date | null | undefined {
  if (call.fields['due_on'] === null) return null;
  const text = call.text('due_on');
  return text === undefined ? undefined : new Date(text);
}

/** Sorts by due date, those without one first, or by completeness. The default direction is ascending, as on GitHub. */
function sorted(milestones: readonly Milestone[], sort = 'due_on', direction = 'asc'): readonly Milestone[] {
  const key = (one: Milestone) =>
    sort === 'completeness' ? milestoneView(one).closed_issues : (one.dueOn?.getTime() ?? Number.NEGATIVE_INFINITY);
  const upwards = [...milestones].sort((a, b) => compare(key(a), key(b)) || a.number - b.number);
  return direction === 'desc' ? upwards.toReversed() : upwards;
}

function compare(one: number, other: number): number {
  return one === other ? 0 : one - other;
}
