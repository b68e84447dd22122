import { milestoneView } from '../views/milestone-view.js';
import type { Repository } from './repository.js';
import type { User } from './user.js';

export interface Milestone {
  readonly id: number;
  readonly number: number;
  readonly repository: Repository;
  readonly creator: User;
  readonly createdAt: Date;
  title: string;
  description: string | null;
  state: 'open' | 'closed';
  dueOn: Date | null;
  updatedAt: Date;
  closedAt: Date | null;
}

interface MilestoneSpec {
  readonly title: string;
  readonly description?: string | null;
  readonly dueOn?: Date | null;
  readonly by?: User;
}

export type MilestoneEdits = Partial<Pick<Milestone, 'title' | 'description' | 'dueOn' | 'state'>>;

/** The milestones of a repository. A number is never used again, even after a milestone was deleted. */
export class Milestones {
  private readonly milestones: Milestone[] = [];
  private lastNumber = 0;

  constructor(private readonly repository: Repository) {}

  create({ title, description = null, dueOn = null, by = this.repository.owner.founder }: MilestoneSpec): Milestone {
    if (this.findByTitle(title)) throw new Error(`The milestone ${title} exists`);
    const now = this.repository.state.now();
    this.lastNumber += 1;
    const milestone: Milestone = {
      id: this.repository.state.nextId(),
      number: this.lastNumber,
      repository: this.repository,
      creator: by,
      title,
      description,
      dueOn,
      state: 'open',
      createdAt: now,
      updatedAt: now,
      closedAt: null,
    };
    this.milestones.push(milestone);
    this.announce(milestone, { action: 'created' }, by);
    return milestone;
  }

  list(): readonly Milestone[] {
    return this.milestones;
  }

  find(number: number): Milestone | null {
    return this.milestones.find((milestone) => milestone.number === number) ?? null;
  }

  findByTitle(title: string): Milestone | null {
    return this.milestones.find((milestone) => milestone.title === title) ?? null;
  }

  edit(milestone: Milestone, edits: MilestoneEdits, by: User = this.repository.owner.founder): void {
    const { title, description, dueOn } = milestone;
    const changes = {
      ...(edits.title !== undefined && edits.title !== title && { title: { from: title } }),
      ...(edits.description !== undefined && { description: { from: description ?? '' } }),
      ...(edits.dueOn !== undefined && { due_on: { from: dueOn?.toISOString() ?? '' } }),
    };
    const stateChanged = edits.state !== undefined && edits.state !== milestone.state;
    Object.assign(milestone, edits);
    milestone.updatedAt = this.repository.state.now();
    if (Object.keys(changes).length > 0) this.announce(milestone, { action: 'edited', changes }, by);
    if (!stateChanged) return;
    milestone.closedAt = milestone.state === 'closed' ? milestone.updatedAt : null;
    this.announce(milestone, { action: milestone.state === 'closed' ? 'closed' : 'opened' }, by);
  }

  close(milestone: Milestone, by?: User): void {
    this.edit(milestone, { state: 'closed' }, by);
  }

  reopen(milestone: Milestone, by?: User): void {
    this.edit(milestone, { state: 'open' }, by);
  }

  /** Deletes the milestone. Its issues remain, without a milestone. */
  delete(milestone: Milestone, by: User = this.repository.owner.founder): void {
    for (const issue of this.repository.issues.list()) if (issue.milestone === milestone) issue.milestone = null;
    this.milestones.splice(this.milestones.indexOf(milestone), 1);
    this.announce(milestone, { action: 'deleted' }, by);
  }

  private announce(milestone: Milestone, payload: object, by: User): void {
    this.repository.emit('milestone', { ...payload, milestone: milestoneView(milestone) }, by);
  }
}
