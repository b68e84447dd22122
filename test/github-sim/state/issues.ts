import { issueView, labelView } from '../views/issue-view.js';
import { milestoneView } from '../views/milestone-view.js';
import { pullView } from '../views/pull-view.js';
import { userView } from '../views/user-view.js';
import type { Milestone } from './milestones.js';
import type { Pull } from './pull.js';
import type { Repository } from './repository.js';
import type { User } from './user.js';

export interface Label {
  readonly id: number;
  readonly name: string;
}

/** An issue, or the issue of a pull request. */
export interface Issue {
  readonly id: number;
  readonly number: number;
  readonly repository: Repository;
  readonly author: User;
  readonly createdAt: Date;
  readonly assignees: Map<number, User>;
  readonly labels: Map<string, Label>;
  /** Issues and pull requests that mention this one, in the order of their first mention. */
  readonly mentionedBy: { readonly source: Issue; readonly by: User; readonly at: Date }[];
  pull: Pull | null;
  title: string;
  body: string | null;
  state: 'open' | 'closed';
  milestone: Milestone | null;
  updatedAt: Date;
  closedAt: Date | null;
}

interface IssueSpec {
  readonly title: string;
  readonly body?: string | null;
  readonly author?: User;
  readonly milestone?: Milestone | null;
  readonly assignees?: readonly User[];
  readonly labels?: readonly string[];
}

/** The issues of a repository, including those of pull requests. */
export class Issues {
  private readonly issues: Issue[] = [];
  private readonly labels = new Map<string, Label>();

  constructor(private readonly repository: Repository) {}

  create(spec: IssueSpec): Issue {
    const issue = this.add(spec);
    this.announce(issue, { action: 'opened' }, issue.author);
    if (issue.milestone) this.announceMilestone(issue, 'milestoned', issue.milestone, issue.author);
    return issue;
  }

  /** Adds an issue without an event, because a pull request has its own event. */
  add({ title, body = null, author = this.repository.owner.founder, milestone = null, ...spec }: IssueSpec): Issue {
    const now = this.repository.state.now();
    const issue: Issue = {
      id: this.repository.state.nextId(),
      number: this.repository.nextNumber(),
      repository: this.repository,
      author,
      title,
      body,
      milestone,
      state: 'open',
      createdAt: now,
      updatedAt: now,
      closedAt: null,
      pull: null,
      assignees: new Map((spec.assignees ?? []).map((user) => [user.id, user])),
      labels: new Map((spec.labels ?? []).map((name) => [name, this.label(name)])),
      mentionedBy: [],
    };
    this.issues.push(issue);
    this.recordMentions(issue, author);
    return issue;
  }

  list(): readonly Issue[] {
    return this.issues;
  }

  find(number: number): Issue | null {
    return this.issues.find((issue) => issue.number === number) ?? null;
  }

  close(issue: Issue, by: User = this.repository.owner.founder): void {
    if (issue.state === 'closed') return;
    issue.state = 'closed';
    issue.closedAt = this.touch(issue);
    this.announce(issue, { action: 'closed' }, by);
  }

  reopen(issue: Issue, by: User = this.repository.owner.founder): void {
    if (issue.state === 'open') return;
    issue.state = 'open';
    issue.closedAt = null;
    this.touch(issue);
    this.announce(issue, { action: 'reopened' }, by);
  }

  edit(issue: Issue, edits: { title?: string; body?: string | null }, by: User = this.repository.owner.founder): void {
    const changes = {
      ...(edits.title !== undefined && { title: { from: issue.title } }),
      ...(edits.body !== undefined && { body: { from: issue.body ?? '' } }),
    };
    Object.assign(issue, edits);
    this.touch(issue);
    this.recordMentions(issue, by);
    if (Object.keys(changes).length > 0) this.announce(issue, { action: 'edited', changes }, by);
  }

  setMilestone(issue: Issue, milestone: Milestone | null, by: User = this.repository.owner.founder): void {
    const before = issue.milestone;
    if (before === milestone) return;
    issue.milestone = milestone;
    this.touch(issue);
    if (before) this.announceMilestone(issue, 'demilestoned', before, by);
    if (milestone) this.announceMilestone(issue, 'milestoned', milestone, by);
  }

  assign(issue: Issue, user: User, by: User = this.repository.owner.founder): void {
    if (issue.assignees.has(user.id)) return;
    issue.assignees.set(user.id, user);
    this.touch(issue);
    this.announce(issue, { action: 'assigned', assignee: userView(user) }, by);
  }

  unassign(issue: Issue, user: User, by: User = this.repository.owner.founder): void {
    if (!issue.assignees.delete(user.id)) return;
    this.touch(issue);
    this.announce(issue, { action: 'unassigned', assignee: userView(user) }, by);
  }

  addLabel(issue: Issue, name: string, by: User = this.repository.owner.founder): void {
    if (issue.labels.has(name)) return;
    const label = this.label(name);
    issue.labels.set(name, label);
    this.touch(issue);
    this.announce(issue, { action: 'labeled', label: labelView(this.repository, label) }, by);
  }

  removeLabel(issue: Issue, name: string, by: User = this.repository.owner.founder): void {
    const label = issue.labels.get(name);
    if (!label) return;
    issue.labels.delete(name);
    this.touch(issue);
    this.announce(issue, { action: 'unlabeled', label: labelView(this.repository, label) }, by);
  }

  /** Renames a label for all of its issues, without an event of an issue. */
  renameLabel(from: string, name: string, by: User = this.repository.owner.founder): void {
    const label = { ...this.label(from), name };
    const changes = { name: { from } };
    this.replaceLabel(from, label);
    this.repository.emit('label', { action: 'edited', changes, label: labelView(this.repository, label) }, by);
  }

  /** Removes a label from all of its issues, without an event of an issue. */
  deleteLabel(name: string, by: User = this.repository.owner.founder): void {
    const label = this.label(name);
    this.replaceLabel(name, null);
    this.repository.emit('label', { action: 'deleted', label: labelView(this.repository, label) }, by);
  }

  /** Deletes an issue, as an administrator can. */
  delete(issue: Issue, by: User = this.repository.owner.founder): void {
    this.issues.splice(this.issues.indexOf(issue), 1);
    this.announce(issue, { action: 'deleted' }, by);
  }

  private replaceLabel(name: string, by: Label | null): void {
    for (const { labels } of [{ labels: this.labels }, ...this.issues]) {
      if (labels.delete(name) && by !== null) labels.set(by.name, by);
    }
  }

  private label(name: string): Label {
    const label = this.labels.get(name) ?? { id: this.repository.state.nextId(), name };
    this.labels.set(name, label);
    return label;
  }

  /** Records the mention once in each issue that the title or body mentions as `#n`. */
  private recordMentions(source: Issue, by: User): void {
    const text = `${source.title}\n${source.body ?? ''}`;
    for (const [, number] of text.matchAll(/(?<![\w&])#(\d+)\b/g)) {
      const target = this.find(Number(number));
      if (!target || target === source || target.mentionedBy.some((mention) => mention.source === source)) continue;
      target.mentionedBy.push({ source, by, at: this.repository.state.now() });
    }
  }

  private touch(issue: Issue): Date {
    issue.updatedAt = this.repository.state.now();
    return issue.updatedAt;
  }

  private announceMilestone(issue: Issue, action: string, milestone: Milestone, by: User): void {
    this.announce(issue, { action, milestone: milestoneView(milestone) }, by);
  }

  private announce(issue: Issue, payload: object, by: User): void {
    const { pull } = issue;
    if (!pull) {
      this.repository.emit('issues', { ...payload, issue: issueView(issue) }, by);
      return;
    }
    // The published schema of `pull_request.demilestoned` shows the milestone that the pull request had.
    const lost = 'milestone' in payload && issue.milestone === null ? { milestone: payload.milestone } : {};
    const received = { ...payload, number: pull.number, pull_request: { ...pullView(pull), ...lost } };
    this.repository.emit('pull_request', received, by);
  }
}
