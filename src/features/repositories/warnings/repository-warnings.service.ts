import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type Viewer } from '../../../database/database.js';
import { FACT_LIFETIME_MS } from '../../../domain/facts/facts.js';
import type { PolicyProblem } from '../../../domain/policy/policy.js';
import type { ProtectionStatus } from '../../../domain/repository/ruleset.js';
import { RepositoryQuotaService } from '../../../workspaces/repository-quota.service.js';
import { type RepositoryState, RepositoryWarningsQueries } from './repository-warnings.queries.js';

/** The codes of all warnings. */
export const WARNING_CODES = [
  // The app is not installed in the organization any more.
  'installation_removed',
  // An owner of the organization has suspended the app.
  'installation_suspended',
  // Two repositories have the same name, for example during a rename, so CI cannot identify either of them.
  'ambiguous_name',
  // A managed repository has no sdlc.yaml.
  'policy_missing',
  'policy_invalid',
  // The policy was not read yet, or not for 20 minutes.
  'policy_unknown',
  // The policy is valid, but the plan's limit of managed repositories is reached.
  'plan_limit',
  // An owner of the organization has not granted the app access to Actions.
  'actions_not_readable',
  // Managed workflow files were changed on release branches.
  'tampered',
  // The branch protection is weaker than the policy requires.
  'protection_drifted',
  // The branch protection could not be configured.
  'protection_failed',
  // The repository's plan on GitHub has no rulesets.
  'protection_advisory',
  // The protection rule was taken off the environment.
  'rule_missing',
  // Administrators may let deployments run that the protection rule holds.
  'admins_may_bypass',
] as const;

export type WarningCode = (typeof WARNING_CODES)[number];

export interface RepositoryWarning {
  readonly repositoryId: string;
  readonly repository: string;
  readonly code: WarningCode;
  /** A sentence with the next step, if there is one. */
  readonly detail: string;
  /** When it was first observed; null if it is not known. */
  readonly since: Date | null;
}

type Found = Pick<RepositoryWarning, 'code' | 'detail' | 'since'>;

/**
 * Finds the reasons why the gates of repositories are closed or may close soon, other than conditions of their releases, and
 * repositories whose branches are not protected.
 */
export function findWarnings(
  repositories: readonly RepositoryState[],
  isPlanFull: boolean,
  now: Date,
): readonly RepositoryWarning[] {
  const names = new Map<string, number>();
  for (const { name } of repositories) names.set(name.toLowerCase(), (names.get(name.toLowerCase()) ?? 0) + 1);
  return repositories.flatMap((repository) => {
    const { id: repositoryId, name } = repository;
    const installation = ofInstallation(repository);
    const isAmbiguous = (names.get(name.toLowerCase()) ?? 0) > 1;
    const found = [
      isAmbiguous ? ambiguousName(name) : null,
      // Further warnings about a repository that cannot be read follow from this one.
      ...(installation
        ? [installation]
        : [
            ofPolicy(repository, isPlanFull, now),
            ofActions(repository),
            ofTampering(repository),
            ofProtection(repository),
            ofRule(repository),
          ]),
    ];
    return found.flatMap((warning) => (warning ? [{ repositoryId, repository: name, ...warning }] : []));
  });
}

const ambiguousName = (name: string): Found => ({
  code: 'ambiguous_name',
  detail: `Another repository is also called ${name}. Rename one of them, because CI cannot identify either of them.`,
  since: null,
});

function ofInstallation({ installed, suspendedAt }: RepositoryState): Found | null {
  if (!installed) {
    const detail = 'The app is not installed in the organization any more. An owner can install it again.';
    return { code: 'installation_removed', detail, since: null };
  }
  if (suspendedAt === null) return null;
  const detail = 'The app is suspended in the organization. An owner can unsuspend it in the settings on GitHub.';
  return { code: 'installation_suspended', detail, since: suspendedAt };
}

function ofPolicy({ policy, managed, createdAt }: RepositoryState, isPlanFull: boolean, now: Date): Found | null {
  if (policy === null) {
    return { code: 'policy_unknown', detail: 'sdlc.yaml was not read yet. The next sync reads it.', since: createdAt };
  }
  const { state, observedAt } = policy;
  const staleAt = new Date(observedAt.getTime() + FACT_LIFETIME_MS.policy);
  if (state.status === 'invalid') {
    return { code: 'policy_invalid', detail: problemsIn(state.problems), since: observedAt };
  }
  // A repository without a policy that was never set up is not managed, which is not a problem.
  if (state.status === 'missing') {
    const detail = 'There is no sdlc.yaml on the default branch, so no release passes testing. Add one.';
    return managed ? { code: 'policy_missing', detail, since: observedAt } : null;
  }
  if (!managed && isPlanFull) {
    const detail =
      "The plan's limit of managed repositories is reached. Request the pro plan, or release a managed repository.";
    return { code: 'plan_limit', detail, since: observedAt };
  }
  if (staleAt > now) return null;
  const detail = 'sdlc.yaml was not read for 20 minutes. The gate is closed until GitHub answers again.';
  return { code: 'policy_unknown', detail, since: staleAt };
}

function ofActions({ managed, readsActions }: RepositoryState): Found | null {
  if (!managed || readsActions !== false) return null;
  const detail =
    'The app may not read Actions. Ask an owner to accept the permission in the settings of the organization on GitHub. Until ' +
    'then the field job of uploads names the jobs of CI runs, and the service does not wait for the other jobs of a matrix.';
  return { code: 'actions_not_readable', detail, since: null };
}

const WARNING_OF_PROTECTION: Readonly<Partial<Record<ProtectionStatus, WarningCode>>> = {
  drifted: 'protection_drifted',
  failed: 'protection_failed',
  advisory: 'protection_advisory',
};

function ofProtection({ protection }: RepositoryState): Found | null {
  const code = protection && WARNING_OF_PROTECTION[protection.status];
  return code ? { code, detail: protection.detail ?? '', since: protection.since } : null;
}

function ofRule({ rule }: RepositoryState): Found | null {
  if (rule?.status === 'missing') {
    const detail =
      `The environment ${rule.environment} has no protection rule of Shipgate any more, so workflows that do not check the gate ` +
      'are not held. Enable it again.';
    return { code: 'rule_missing', detail, since: rule.since };
  }
  if (rule?.status !== 'active' || rule.adminsMayBypass !== true) return null;
  const detail =
    `Administrators may let deployments to ${rule.environment} run while the gate is closed. Uncheck "Allow administrators to ` +
    'bypass configured protection rules" in the settings of the environment on GitHub.';
  return { code: 'admins_may_bypass', detail, since: rule.since };
}

function ofTampering({ tampering }: RepositoryState): Found | null {
  if (!tampering) return null;
  const { files, branches, since, issueUrl } = tampering;
  const where = issueUrl === null ? '' : ` See ${issueUrl}.`;
  const detail = `${files.join(' and ')} changed on ${branches.join(', ')}. Restore them, because no release can be deployed from there.${where}`;
  return { code: 'tampered', detail, since };
}

function problemsIn([first, ...others]: readonly PolicyProblem[]): string {
  if (!first) return 'sdlc.yaml is not valid.';
  const place = first.line === null ? 'sdlc.yaml' : `sdlc.yaml, line ${first.line}`;
  const key = first.key === '' ? '' : ` ${first.key}:`;
  const more = others.length === 0 ? '' : ` And ${others.length} more.`;
  return `${place}:${key} ${first.message}${more}`;
}

/** Lists the problems of the repositories of a workspace. */
@Injectable()
export class RepositoryWarningsService {
  constructor(
    private readonly database: Database,
    private readonly states: RepositoryWarningsQueries,
    private readonly clock: Clock,
    private readonly quota: RepositoryQuotaService,
  ) {}

  /** Lists the warnings of the repositories that the viewer can see, by name. */
  async list(viewer: Viewer): Promise<readonly RepositoryWarning[]> {
    const repositories = await this.database.asViewer(viewer, (tx) => this.states.list(tx));
    // The limit counts all managed repositories, also those that the viewer cannot see.
    const { used, limit } = await this.database.inTenant(viewer.orgId, (tx) => this.quota.getUsage(tx));
    return findWarnings(repositories, limit !== null && used >= limit, this.clock.now());
  }
}
