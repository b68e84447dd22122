import type { MilestoneFact } from '../../domain/facts/facts.js';
import type { Observed } from '../transport/github-clock.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { RepositoryRef } from '../transport/token-scope.js';
import type { RepositoryCalls } from './repository-calls.js';

export interface NewMilestone {
  readonly title: string;
  readonly description: string | null;
  /** GitHub stores only the day. */
  readonly dueOn: Date | null;
}

export class Milestones {
  constructor(private readonly calls: RepositoryCalls) {}

  /** Lists all milestones, open and closed. */
  async list(ref: RepositoryRef, signal?: AbortSignal): Promise<Observed<readonly MilestoneFact[]>> {
    return this.calls.list(
      ref,
      this.calls.rest.issues.listMilestones,
      { state: 'all', per_page: 100 },
      (page) => page.items().map(parseMilestone),
      signal,
    );
  }

  /** Returns a milestone; null if it does not exist. */
  async find(ref: RepositoryRef, number: number, signal?: AbortSignal): Promise<Observed<MilestoneFact | null>> {
    return this.calls.find(
      ref,
      this.calls.rest.issues.getMilestone,
      { milestone_number: number },
      parseMilestone,
      signal,
    );
  }

  /** Creates a milestone. Fails as `conflict` if an open or closed one has this title. */
  async create(
    ref: RepositoryRef,
    { title, description, dueOn }: NewMilestone,
    signal?: AbortSignal,
  ): Promise<MilestoneFact> {
    return this.calls.write(
      ref,
      this.calls.rest.issues.createMilestone,
      {
        title,
        ...(description !== null && { description }),
        ...(dueOn !== null && { due_on: dueOn.toISOString() }),
      },
      parseMilestone,
      { idempotent: false, signal },
    );
  }
}

function parseMilestone(item: JsonReader): MilestoneFact {
  return {
    githubId: item.integer('id'),
    number: item.integer('number'),
    title: item.text('title'),
    state: item.readChoice('state', ['open', 'closed']),
    url: item.text('html_url'),
    description: item.textOrNull('description'),
    dueOn: item.textOrNull('due_on'),
    updatedAt: item.text('updated_at'),
  };
}
