import { toIdentityName } from './finding-list.js';
import type { JsonMembers, JsonDocument } from './json-document.js';
import type { JsonPath } from '../../../http/body/json-scanner.js';
import {
  DEFAULT_LEVEL,
  mergeReadings,
  NO_RULE,
  readScore,
  type RuleReading,
  SARIF_LEVELS,
  type SarifLevel,
  toReading,
  worseLevel,
} from './sarif-severity.js';

/** Each level is looked up together with all before it, so without a limit a long id would take quadratic time. */
const MAX_LEVELS = 100;

/** The descriptor of a rule with its path in the document. */
interface SarifRule {
  readonly id: string;
  readonly guid: string | null;
  readonly descriptor: JsonMembers;
  readonly path: JsonPath;
}

/** One rule, all rules of one id, or a rule that the run does not describe. Their common reading is computed once, however many results name them. */
export class SarifRuleGroup {
  readonly rules: SarifRule[] = [];
  private merged: RuleReading | null = null;
  private shortName: string | null = null;

  constructor(private readonly read: (rule: SarifRule) => RuleReading) {}

  get reading(): RuleReading {
    return (this.merged ??= this.rules.length === 0 ? NO_RULE : mergeReadings(this.rules.map(this.read)));
  }

  /** The id of its first rule, as identities of findings contain it. */
  get name(): string | null {
    const [rule] = this.rules;
    return rule === undefined ? null : (this.shortName ??= toIdentityName(rule.id));
  }
}

type Groups = Map<string, SarifRuleGroup>;

interface Component {
  /** By index, each with one rule. */
  readonly rules: readonly SarifRuleGroup[];
  readonly byId: Groups;
  readonly names: readonly unknown[];
}

/** The levels that invocations give to rules, the worst for each. A rule is named by its id, its GUID or its place. */
class LevelOverrides {
  private readonly levels = new Map<string | SarifRule, SarifLevel>();

  add(key: string | SarifRule, level: SarifLevel): void {
    this.levels.set(key, worseLevel(this.levels.get(key) ?? level, level));
  }

  get(rule: SarifRule): SarifLevel | undefined {
    const found = [rule, idKey(rule.id), guidKey(rule.guid ?? '')].map((key) => this.levels.get(key));
    return found.reduce((one, other) => (one && other ? worseLevel(one, other) : (one ?? other)));
  }
}

const idKey = (id: string): string => `id ${id}`;
const guidKey = (guid: string): string => `guid ${guid.toLowerCase()}`;

/**
 * The rules of a run, of its driver and its extensions, with the configuration of its invocations. Looks them up by SARIF
 * 2.1.0, § 3.27.7 and § 3.52.
 */
export class SarifRules {
  private readonly driver: Component;
  private readonly extensions: readonly Component[];
  /** All rules by id. */
  private readonly byId: Groups = new Map();
  private readonly byGuid: Groups = new Map();
  /** By name and GUID; null for one that several components have. */
  private readonly byName = new Map<unknown, Component | null>();
  /** The rule of an id that the run does not describe, which SARIF allows. */
  private readonly undescribed = this.group();
  private readonly overrides = new LevelOverrides();
  private readonly ofInvocation = new Map<number, LevelOverrides>();

  constructor(
    private readonly json: JsonDocument,
    tool: JsonMembers,
    path: JsonPath,
  ) {
    this.driver = this.component(tool['driver'], [...path, 'driver']);
    const extensionsPath = [...path, 'extensions'];
    this.extensions = json
      .optionalArray(tool['extensions'], extensionsPath)
      .map((extension, index) => this.component(extension, [...extensionsPath, index]));
    for (const component of [this.driver, ...this.extensions]) {
      for (const name of component.names) this.byName.set(name, this.byName.has(name) ? null : component);
    }
  }

  /** Reads the configuration of an invocation. Call it before `findRules`. */
  addOverrides(invocation: JsonMembers, path: JsonPath, index: number): void {
    const key = 'ruleConfigurationOverrides';
    const own = new LevelOverrides();
    this.ofInvocation.set(index, own);
    for (const [at, entry] of this.json.optionalArray(invocation[key], [...path, key]).entries()) {
      const entryPath = [...path, key, at];
      const override = this.json.object(entry, entryPath);
      const descriptorPath = [...entryPath, 'descriptor'];
      const descriptor = this.json.object(override['descriptor'], descriptorPath);
      const configurationPath = [...entryPath, 'configuration'];
      const configuration = this.json.object(override['configuration'], configurationPath);
      const level = this.level(configuration, configurationPath);
      const groups = this.referenced(descriptor, descriptorPath, {});
      const { id, guid } = descriptor;
      const keys = [
        ...(typeof id === 'string' ? [idKey(id)] : []),
        ...(typeof guid === 'string' ? [guidKey(guid)] : []),
        // Rules of one id or GUID have its key. There may be many of them.
        ...groups.flatMap(({ rules }) => (rules.length === 1 ? rules : [])),
      ];
      for (const rule of keys) {
        this.overrides.add(rule, level ?? DEFAULT_LEVEL);
        if (level !== undefined) own.add(rule, level);
      }
    }
  }

  /**
   * Returns all rules that a result may mean: by its index, its id and its reference, which may contradict each other. Empty if it
   * names none.
   */
  findRules(result: JsonMembers, path: JsonPath): readonly SarifRuleGroup[] {
    const rulePath = [...path, 'rule'];
    const { ruleIndex: index, ruleId: id } = result;
    return this.referenced(this.json.optionalObject(result['rule'], rulePath), rulePath, { index, id, path });
  }

  /**
   * Returns the level that the invocation of a result gives to its only rule, which replaces the default (§ 3.27.10); undefined if
   * the result does not name its invocation.
   */
  invocationLevel(result: JsonMembers, path: JsonPath, groups: readonly SarifRuleGroup[]): SarifLevel | undefined {
    const provenancePath = [...path, 'provenance'];
    const { invocationIndex } = this.json.optionalObject(result['provenance'], provenancePath);
    const [group, ...others] = groups;
    if (typeof invocationIndex !== 'number' || group === undefined || others.length > 0) return undefined;
    const [rule, ...more] = group.rules;
    return rule === undefined || more.length > 0 ? undefined : this.ofInvocation.get(invocationIndex)?.get(rule);
  }

  /** Returns the rules of a reference (§ 3.52) and of the index and the id beside it. */
  private referenced(
    reference: JsonMembers,
    path: JsonPath,
    beside: { readonly index?: unknown; readonly id?: unknown; readonly path?: JsonPath },
  ): readonly SarifRuleGroup[] {
    const components = this.components(reference, path);
    const found = new Set<SarifRuleGroup>();
    const indexes = [
      [[...(beside.path ?? path), 'ruleIndex'], beside.index],
      [[...path, 'index'], reference['index']],
    ] as const;
    for (const [indexPath, index] of indexes) {
      const searched = components.length === 0 ? [this.driver] : components;
      for (const { rules } of searched) {
        const group = this.at(indexPath, rules, index);
        if (group !== null) found.add(group);
      }
    }
    const ids = [
      [[...(beside.path ?? path), 'ruleId'], beside.id],
      [[...path, 'id'], reference['id']],
    ] as const;
    for (const [idPath, value] of ids) {
      const id = this.json.optionalString(value, idPath);
      if (id === undefined) continue;
      for (const group of this.named(id, components, beside.path ?? path)) found.add(group);
    }
    const guid = this.json.optionalString(reference['guid'], [...path, 'guid']);
    const byGuid = guid === undefined ? undefined : this.byGuid.get(guid.toLowerCase());
    if (byGuid !== undefined) found.add(byGuid);
    return [...found];
  }

  /** Returns the components of a reference, which its index, name and GUID may name differently; empty if it names none. */
  private components(reference: JsonMembers, path: JsonPath): readonly Component[] {
    const componentPath = [...path, 'toolComponent'];
    const { index, name, guid } = this.json.optionalObject(reference['toolComponent'], componentPath);
    const indexed = this.at([...componentPath, 'index'], this.extensions, index);
    const names = [name, typeof guid === 'string' ? guid.toLowerCase() : undefined].filter(
      (value) => value !== undefined,
    );
    const named = names.map((value) => this.byName.get(value)).filter((component) => !!component);
    if (indexed === null && names.length > 0 && named.length === 0) {
      throw this.json.errorAt(componentPath, 'the name or GUID of one tool component of the run is expected');
    }
    return [...new Set([...(indexed === null ? [] : [indexed]), ...named])];
  }

  private read(rule: SarifRule): RuleReading {
    const configurationPath = [...rule.path, 'defaultConfiguration'];
    const configuration = this.json.optionalObject(rule.descriptor['defaultConfiguration'], configurationPath);
    const level = this.level(configuration, configurationPath) ?? DEFAULT_LEVEL;
    return toReading(readScore(rule.descriptor, rule.path, this.json), level, this.overrides.get(rule));
  }

  private level(configuration: JsonMembers, path: JsonPath): SarifLevel | undefined {
    return this.json.readOptionalChoice(configuration['level'], [...path, 'level'], SARIF_LEVELS);
  }

  /** Finds the rules of an id. It may be more specific than that of its rule: `CA2101/1` belongs to `CA2101` (§ 3.27.5). */
  private named(id: string, components: readonly Component[], path: JsonPath): readonly SarifRuleGroup[] {
    let name = id;
    for (let level = 0; level < MAX_LEVELS && name !== ''; level += 1) {
      const within = components.map(({ byId }) => byId.get(name)).filter((group) => group !== undefined);
      const found = this.byId.get(name);
      if (within.length > 0) return within;
      if (found !== undefined) return [found];
      name = name.slice(0, Math.max(name.lastIndexOf('/'), 0));
    }
    if (name === '') return [this.undescribed];
    throw this.json.errorAt(path, `the id of its rule has more than ${MAX_LEVELS} levels`);
  }

  /** Returns the entry at an index; null if the index is missing or -1, which means "none" in SARIF. */
  private at<T>(path: JsonPath, entries: readonly T[], index: unknown): T | null {
    if (index === undefined || index === -1) return null;
    const entry = typeof index === 'number' ? entries[index] : undefined;
    if (entry === undefined)
      throw this.json.errorAt(path, 'an index into the rules or extensions of the run is expected');
    return entry;
  }

  private component(value: unknown, path: JsonPath): Component {
    const { rules: list, name, guid } = this.json.object(value, path);
    const rulesPath = [...path, 'rules'];
    const byId: Groups = new Map();
    const rules = this.json.optionalArray(list, rulesPath).map((entry, index) => {
      const rulePath = [...rulesPath, index];
      const descriptor = this.json.object(entry, rulePath);
      const id = this.json.string(descriptor['id'], [...rulePath, 'id']);
      const ruleGuid = this.json.optionalString(descriptor['guid'], [...rulePath, 'guid'])?.toLowerCase() ?? null;
      const group = this.group();
      group.rules.push({ id, guid: ruleGuid, descriptor, path: rulePath });
      this.addTo(byId, id, group);
      this.addTo(this.byId, id, group);
      if (ruleGuid !== null) this.addTo(this.byGuid, ruleGuid, group);
      return group;
    });
    const names = [name, typeof guid === 'string' ? guid.toLowerCase() : undefined];
    return { rules, byId, names: names.filter((value) => value !== undefined) };
  }

  /** Adds the group of one rule. A second rule of the same key makes a group of both. */
  private addTo(groups: Groups, key: string, one: SarifRuleGroup): void {
    const known = groups.get(key);
    if (known === undefined) {
      groups.set(key, one);
      return;
    }
    const shared = known.rules.length > 1 ? known : this.group();
    if (shared !== known) shared.rules.push(...known.rules);
    shared.rules.push(...one.rules);
    groups.set(key, shared);
  }

  private group(): SarifRuleGroup {
    return new SarifRuleGroup((rule) => this.read(rule));
  }
}
