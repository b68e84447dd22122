import { Injectable } from '@nestjs/common';
import type { Person } from '../../../auth/user.js';
import { Clock } from '../../../config/clock.js';
import type { MilestoneFact } from '../../../domain/facts/facts.js';
import type { NewMilestone } from '../../../github/api/milestones.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import type { Observed } from '../../../github/transport/observed.js';
import { PersonalToken } from '../../../github/transport/personal-token.js';
import type { RepositoryRef } from '../../../github/transport/repository-ref.js';
import { UserTokens } from '../../accounts/users/user-tokens.service.js';
import { hostIsAway, milestoneExists, refusedByHost, signInAgain } from './release-actions.errors.js';

/** Makes milestones on GitHub as the person who asks: GitHub decides whether they may, and its history names them. */
@Injectable()
export class MilestoneHost {
  constructor(
    private readonly tokens: UserTokens,
    private readonly github: GitHubGateway,
    private readonly clock: Clock,
  ) {}

  /** Refuses with `conflict` where one is called so already, and with `forbidden` where the person may make none. */
  async make(ref: RepositoryRef, person: Person, wanted: NewMilestone): Promise<Observed<MilestoneFact>> {
    const as = await this.tokenOf(person);
    const observedAt = this.clock.now();
    try {
      return { value: await this.github.milestones.create({ ...ref, as }, wanted), observedAt };
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      if (error.kind === 'conflict') throw milestoneExists(wanted.title);
      if (error.kind === 'unauthorized') throw signInAgain();
      if (error.kind === 'rate_limited') throw hostIsAway(error, this.clock.now());
      if (!error.isPassing) throw refusedByHost(error);
      return this.findMade(ref, wanted, error);
    }
  }

  private async tokenOf({ id }: Person): Promise<PersonalToken> {
    try {
      const token = await this.tokens.tokenOf(id);
      if (token !== null) return new PersonalToken(token);
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      throw hostIsAway(error, this.clock.now());
    }
    throw signInAgain();
  }

  /** An answer that was lost may have been a yes: then there is a milestone by now that says what this one was to say. */
  private async findMade(
    ref: RepositoryRef,
    wanted: NewMilestone,
    lost: GitHubError,
  ): Promise<Observed<MilestoneFact>> {
    const { value: milestones, observedAt } = await this.listAgain(ref);
    const value = milestones.find(({ title }) => title === wanted.title);
    if (!value) throw hostIsAway(lost, this.clock.now());
    const isTheOne = value.state === 'open' && (value.description ?? '') === (wanted.description ?? '');
    if (!isTheOne) throw milestoneExists(wanted.title);
    return { value, observedAt };
  }

  private async listAgain(ref: RepositoryRef): Promise<Observed<readonly MilestoneFact[]>> {
    try {
      return await this.github.milestones.list(ref);
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      throw hostIsAway(error, this.clock.now(), 'if the milestone was made, its release follows by itself.');
    }
  }
}
