import { Injectable } from '@nestjs/common';
import type { Person } from '../../../auth/user.js';
import { Clock } from '../../../config/clock.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import { PersonalToken } from '../../../github/transport/personal-token.js';
import type { RepositoryRef } from '../../../github/transport/repository-ref.js';
import { noSuchRelease } from '../../../http/errors/release-refusal.js';
import { UserTokens } from '../../accounts/users/user-tokens.service.js';
import { archivedRepository, hostForbids, hostIsAway, mayNotTriage, signInAgain } from './scope-refusal.js';

/** How long somebody waits for the host's word of what they may do. */
const ANSWER_MS = 5_000;

/** Lets people change issues as themselves, as far as GitHub says now that they may. */
@Injectable()
export class ScopeWriters {
  constructor(
    private readonly tokens: UserTokens,
    private readonly github: GitHubGateway,
    private readonly clock: Clock,
  ) {}

  /**
   * The repository as the person reaches it. Throws `forbidden` where they may not triage it, or gave no token that GitHub
   * takes, `not_found` where they may not even read it, `unavailable` where GitHub does not say.
   */
  async verify(person: Person, ref: RepositoryRef): Promise<RepositoryRef> {
    const token = await this.answer(() => this.tokens.tokenOf(person.id));
    if (token === null) throw signInAgain();
    const writer = { ...ref, as: new PersonalToken(token) };
    const signal = AbortSignal.timeout(ANSWER_MS);
    const { value: repository } = await this.answer(() => this.github.repositories.find(writer, signal));
    if (repository === null) throw noSuchRelease();
    const name = `${repository.owner}/${repository.name}`;
    // Of a person it is always told: "the access the user has to each repository" (permissions, in "Repositories").
    if (repository.rights?.triage !== true) throw mayNotTriage(name);
    if (repository.archived) throw archivedRepository(name);
    return writer;
  }

  private async answer<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question();
    } catch (error) {
      if (GitHubError.is(error, 'unauthorized')) throw signInAgain();
      if (GitHubError.is(error, 'forbidden')) throw hostForbids(error);
      if (error instanceof GitHubError) throw hostIsAway(error, this.clock.now());
      throw error;
    }
  }
}
