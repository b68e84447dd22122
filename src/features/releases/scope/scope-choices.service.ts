import { Injectable } from '@nestjs/common';
import type { Member } from '../../../auth/caller.js';
import type { IssueFact } from '../../../domain/facts/facts.js';
import { UsersRepository } from '../../accounts/users/users.repository.js';
import { ScopeGitHubService } from './scope-github.service.js';
import type { ScopeAssigneeDto } from './scope.dto.js';
import { ScopeService } from './scope.service.js';

const MAX_CHOICES = 50;

/**
 * Finds what a user can add to the scope of a release: issues, and owners of its issues. It reads GitHub in the name of the user, who
 * needs the same permission as for the change.
 */
@Injectable()
export class ScopeChoicesService {
  constructor(
    private readonly scope: ScopeService,
    private readonly github: ScopeGitHubService,
    private readonly users: UsersRepository,
  ) {}

  /** Lists at most 50 open issues without a milestone, newest first. Throws the errors of a link. */
  async listCandidates(member: Member, releaseId: string, search: string | null): Promise<readonly IssueFact[]> {
    const { writer } = await this.scope.getChangeable(member, releaseId, 'link');
    const matches = (issue: IssueFact): boolean => search === null || matchesIssue(issue, search);
    return this.github.searchCandidates(writer, { matches, limit: MAX_CHOICES });
  }

  /** Lists at most 50 users to whom issues can be assigned. The name of a user who never signed in is null. Throws the errors of an assignment. */
  async listAssignees(member: Member, releaseId: string, search: string | null): Promise<readonly ScopeAssigneeDto[]> {
    const { writer } = await this.scope.getChangeable(member, releaseId, 'assign');
    const assignees = await this.github.listAssignees(writer);
    const known = await this.users.list(assignees.map(({ id }) => id));
    return assignees
      .map(({ id, login, avatarUrl }) => ({ login, name: known.get(id)?.name ?? null, avatarUrl }))
      .filter(({ login, name }) => search === null || includesText(login, search) || includesText(name ?? '', search))
      .slice(0, MAX_CHOICES);
  }
}

const matchesIssue = ({ number, title }: IssueFact, search: string): boolean =>
  String(number).startsWith(search.replace(/^#/, '')) || includesText(title, search);

const includesText = (text: string, search: string): boolean => text.toLowerCase().includes(search.toLowerCase());
