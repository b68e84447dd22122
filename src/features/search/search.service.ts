import { Injectable } from '@nestjs/common';
import type { User } from '../../auth/user.js';
import { Database, type Viewer } from '../../database/database.js';
import { normalizeForSearch } from '../../database/normalize-for-search.js';
import { UsersRepository } from '../accounts/users/users.repository.js';
import { type FoundUserDto, MAX_FOUND, type SearchResultsDto } from './search.dto.js';
import { SearchQueries } from './search.queries.js';

/** The start of a commit. A shorter one could be a word or a number. */
const COMMIT = /^[0-9a-f]{7,40}$/;

/** Finds releases, repositories, projects, commits and members by one term. */
@Injectable()
export class SearchService {
  constructor(
    private readonly database: Database,
    private readonly found: SearchQueries,
    private readonly users: UsersRepository,
  ) {}

  async search(viewer: Viewer, text: string): Promise<SearchResultsDto> {
    const term = text.trim();
    const start = term.toLowerCase();
    const { memberIds, ...results } = await this.database.readOnlyAsViewer(viewer, async (tx) => ({
      releases: await this.found.findReleases(tx, term),
      repositories: await this.found.findRepositories(tx, term),
      projects: await this.found.findProjects(tx, term),
      commits: COMMIT.test(start) ? await this.found.findCommits(tx, start) : [],
      memberIds: await this.found.listMemberIds(tx),
    }));
    const users = await this.users.list(memberIds);
    return { ...results, users: selectUsers([...users.values()], normalizeForSearch(term)) };
  }
}

/** Selects the users whose login or name contains the term, those whose login begins with it first. */
function selectUsers(users: readonly User[], term: string): readonly FoundUserDto[] {
  const isFirst = ({ login }: User): boolean => normalizeForSearch(login).startsWith(term);
  return users
    .filter(({ login, name }) => [login, name ?? ''].some((text) => normalizeForSearch(text).includes(term)))
    .toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)) || a.login.localeCompare(b.login, 'en'))
    .slice(0, MAX_FOUND)
    .map(({ id, login, name, avatarUrl }) => ({ userId: id, login, name, avatarUrl }));
}
