import { Injectable } from '@nestjs/common';
import { type CiCaller, canUploadTo } from '../../../auth/caller.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import { TrackedFacts } from '../../../domain/facts/tracked-facts.js';
import { DEFAULT_POLICY } from '../../../domain/policy/policy.js';
import { releaseBranchPrefixes } from '../../../domain/release/candidate.js';
import {
  type BuiltRef,
  type Resolution,
  type ResolutionInputs,
  resolveRelease,
  versionInRef,
} from '../../../domain/release/resolve-release.js';
import { DomainError, repositoryNotFound } from '../../../http/errors/domain-error.js';
import { type Repository, RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { lookupKey } from '../discovery/lookup-budget.service.js';
import { ReleaseDiscoveryService } from '../discovery/release-discovery.service.js';
import { ObservationsRepository } from '../facts/observations.repository.js';
import { ReleasesQueries } from '../records/releases.queries.js';

/** The stored values, and the version that the ref names. */
interface Stored extends ResolutionInputs {
  readonly named: string | null;
  /** Whether the policy is that of the repository. The default policy replaces one that is missing or not valid. */
  readonly hasPolicy: boolean;
}

/**
 * Finds the release that a CI run builds, by the policy, the branches and the releases that were read last, however old they are. The
 * answer opens no gate and decides no verdict.
 */
@Injectable()
export class ReleaseResolutionService {
  constructor(
    private readonly database: Database,
    private readonly repos: RepositoriesRepository,
    private readonly observations: ObservationsRepository,
    private readonly releases: ReleasesQueries,
    private readonly discovery: ReleaseDiscoveryService,
  ) {}

  /**
   * A version that is not stored is looked up at GitHub once, because its milestone may be new. Throws `not_found` for any repository
   * but that of the run or those of the API key: a ref of one repository means nothing in another. Throws `conflict` if no release is
   * found without a valid policy.
   */
  async resolve(caller: CiCaller, repo: string, built: BuiltRef): Promise<Resolution> {
    const { orgId } = caller;
    const { repository, stored } = await this.database.inTenant(orgId, async (tx) => {
      const found = await this.repos.findByName(tx, repo);
      if (!found || !canUploadTo(caller, found)) throw repositoryNotFound();
      return { repository: found, stored: await this.read(tx, found, built.ref) };
    });
    const hasNamedRelease =
      stored.hasNamedRelease ||
      (stored.named !== null &&
        (await this.discovery.findOrDiscover(orgId, repository.id, stored.named, lookupKey(caller))));
    const resolution = resolveRelease(built, { ...stored, hasNamedRelease });
    // By the rules of another policy the run may build a release, so "none" would be wrong.
    if (resolution.version === null && !stored.hasPolicy) throw policyUnknown();
    return resolution;
  }

  private async read(tx: TenantTransaction, { id, defaultBranch }: Repository, ref: string): Promise<Stored> {
    const found = await this.observations.find(tx, id);
    const policy = found ?? DEFAULT_POLICY;
    const named = versionInRef(ref, policy);
    const branches = releaseBranchPrefixes(policy).map((key) => ({ kind: 'refs', key }) as const);
    return {
      policy,
      hasPolicy: found !== null,
      developmentBranch: policy.development.branch ?? defaultBranch,
      named,
      hasNamedRelease: named !== null && (await this.releases.findByVersion(tx, id, named)) !== null,
      openReleases: await this.releases.listOpen(tx, id),
      facts: new TrackedFacts(await this.observations.list(tx, id, branches)),
    };
  }
}

const policyUnknown = (): DomainError =>
  new DomainError(
    'conflict',
    'The sdlc.yaml of the repository is missing or not valid, so the release of this run is unknown. Correct it, or name the release.',
  );
