import { Injectable } from '@nestjs/common';
import type { Person } from '../../../auth/user.js';
import type { TenantTx } from '../../../database/database.js';
import { mayBegin } from '../../../domain/repository/setup-state.js';
import type { PersonalToken } from '../../../github/transport/personal-token.js';
import type { GovernedRepository } from '../../../workspaces/governed-repository.js';
import { AuditRecorder } from '../../audit/audit.recorder.js';
import { BootstrapPursuits } from '../setup-state/bootstrap-pursuits.recorder.js';
import { BootstrapsRepository } from '../setup-state/bootstraps.repository.js';
import type { RepositorySetup } from '../setup-state/repository-setup.js';
import { RepositorySetups } from '../setup-state/repository-setups.reader.js';
import { HostTokens } from '../tokens/repository-tokens.service.js';
import { BootstrapPlaces } from './bootstrap-places.recorder.js';
import { alreadyBegun } from './bootstrap.errors.js';

interface Claim {
  readonly repository: GovernedRepository;
  readonly person: Person;
  /** To be kept for what the app may not do itself; null where it may, or where none was given. */
  readonly token: PersonalToken | null;
}

/** Lets one bootstrap of a repository begin at a time, and no more of them than the plan has room for. */
@Injectable()
export class BootstrapClaims {
  constructor(
    private readonly bootstraps: BootstrapsRepository,
    private readonly setups: RepositorySetups,
    private readonly places: BootstrapPlaces,
    private readonly tokens: HostTokens,
    private readonly pursuits: BootstrapPursuits,
    private readonly audit: AuditRecorder,
  ) {}

  /** Refuses what `claim` would refuse as things are now, before anybody asks the host. */
  async refuseHopeless(tx: TenantTx, repository: GovernedRepository): Promise<void> {
    const setup = await this.setups.find(tx, repository.id);
    if (!mayBegin(setup?.step ?? null)) throw alreadyBegun();
    if (!repository.managed) await this.places.refuseWithoutRoom(tx);
  }

  /**
   * Begins one: with its place in the plan, the token, and the job that goes on with it should its request die, all
   * together or not at all.
   */
  async claim(tx: TenantTx, { repository, person, token }: Claim): Promise<RepositorySetup> {
    const repositoryId = repository.id;
    const tookPlace = await this.places.take(tx, repositoryId);
    const begun = await this.bootstraps.begin(tx, { repositoryId, requestedBy: person.id, tookPlace });
    if (!begun) throw alreadyBegun();
    if (token !== null) await this.tokens.keep(tx, repositoryId, token.reveal());
    await this.pursuits.askForLater(tx, repositoryId);
    await this.audit.append(tx, {
      actor: { type: 'person', id: person.id, login: person.login },
      action: 'bootstrap.begun',
      subject: `${repository.org}/${repository.name}`,
      data: { repositoryId },
      repositoryIds: [repositoryId],
    });
    return begun;
  }
}
