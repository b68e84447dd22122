import type { Ruleset } from '../state/rulesets.js';
import { isoDate, nodeId } from './wire.js';

/** A ruleset in lists and webhooks. */
export function rulesetSummary({ id, spec, repository, createdAt, updatedAt }: Ruleset) {
  const self = { href: `${repository.apiUrl}/rulesets/${id}` };
  return {
    id,
    name: spec.name,
    target: spec.target ?? 'branch',
    source_type: 'Repository',
    source: repository.fullName,
    enforcement: spec.enforcement,
    node_id: nodeId('RepositoryRuleset', id),
    _links: { self },
    created_at: isoDate(createdAt),
    updated_at: isoDate(updatedAt),
  };
}

/** The whole ruleset. Only a caller who can change it sees the bypass actors ("Get a repository ruleset"). */
export function rulesetView(ruleset: Ruleset, { mayChange }: { readonly mayChange: boolean }) {
  const { bypass_actors = [], conditions = { ref_name: { include: [], exclude: [] } }, rules = [] } = ruleset.spec;
  return { ...rulesetSummary(ruleset), ...(mayChange && { bypass_actors }), conditions, rules };
}
