import { observe, type Observed } from '../transport/github-clock.js';
import type { Clock } from '../../config/clock.js';
import { GitHubError } from '../transport/github-error.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { RepositoryRef } from '../transport/token-scope.js';
import type { RepositoryCalls } from './repository-calls.js';
import { isUnsupportedByPlan } from './rulesets.js';

interface Environment {
  readonly name: string;
  /** Whether administrators may start a job that waits for a rule. Null if GitHub does not report it. */
  readonly canAdminsBypass: boolean | null;
}

/** An app that must approve before a job of the environment runs. */
interface ProtectionRule {
  readonly appId: number;
  readonly enabled: boolean;
}

/** The environments of a repository and their custom rules: https://docs.github.com/rest/deployments/protection-rules */
export class Environments {
  constructor(
    private readonly calls: RepositoryCalls,
    private readonly clock: Clock,
  ) {}

  /** Returns null if there is no such environment. */
  async find(ref: RepositoryRef, name: string, signal?: AbortSignal): Promise<Observed<Environment | null>> {
    const { getEnvironment } = this.calls.rest.repos;
    return this.calls.find(ref, getEnvironment, { environment_name: name }, parseEnvironment, signal);
  }

  /** Creates an environment without protection. Only for a name that has none: GitHub would reset the settings of an existing one. */
  async create(ref: RepositoryRef, name: string, signal?: AbortSignal): Promise<void> {
    const { createOrUpdateEnvironment } = this.calls.rest.repos;
    // The default of GitHub is stated, because a request without any setting has no body.
    const parameters = { environment_name: name, wait_timer: 0 };
    await this.calls.write(ref, createOrUpdateEnvironment, parameters, () => null, {
      idempotent: true,
      signal,
    });
  }

  /** Lists the custom rules of an environment; null if this GitHub or its plan has none. */
  async listRules(
    ref: RepositoryRef,
    name: string,
    signal?: AbortSignal,
  ): Promise<Observed<readonly ProtectionRule[] | null>> {
    return observe(this.clock, async () => {
      try {
        const { getAllDeploymentProtectionRules } = this.calls.rest.repos;
        const parameters = { environment_name: name };
        return (await this.calls.find(ref, getAllDeploymentProtectionRules, parameters, parseRules, signal)).value;
      } catch (error) {
        if (isUnsupportedByPlan(error)) return null;
        throw error;
      }
    });
  }

  /** Adds an app as a rule of the environment. Returns false if it is a rule already or GitHub accepts no more rules. */
  async enableRule(ref: RepositoryRef, name: string, appId: number, signal?: AbortSignal): Promise<boolean> {
    try {
      await this.calls.write(
        ref,
        this.calls.rest.repos.createDeploymentProtectionRule,
        { environment_name: name, integration_id: appId },
        () => null,
        { idempotent: false, signal },
      );
      return true;
    } catch (error) {
      if (GitHubError.is(error, 'invalid', 'conflict')) return false;
      throw error;
    }
  }
}

const parseEnvironment = (body: JsonReader): Environment => ({
  name: body.text('name'),
  canAdminsBypass: body.has('can_admins_bypass') ? body.flag('can_admins_bypass') : null,
});

const parseRules = (body: JsonReader): readonly ProtectionRule[] =>
  body.listOrEmpty('custom_deployment_protection_rules').map((rule) => ({
    appId: rule.object('app').integer('id'),
    enabled: rule.flag('enabled'),
  }));
