import type { DynamicModule, Type } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { Database } from '../../src/database/database.js';
import { AppModule } from '../../src/server/app.module.js';

type ModuleReference = Type | DynamicModule;

/** The providers of each module that the application imports, at any depth. Providers that are not classes of `src` do not count. */
function providersOf(root: ModuleReference): ReadonlyMap<string, ReadonlySet<unknown>> {
  const found = new Map<string, Set<unknown>>();
  const visited = new Set<ModuleReference>();
  const visit = (reference: ModuleReference): void => {
    if (visited.has(reference)) return;
    visited.add(reference);
    const dynamic = 'module' in reference ? reference : null;
    const type = dynamic?.module ?? (reference as Type);
    const metadata = (key: string): readonly unknown[] =>
      (Reflect.getMetadata(key, type) as unknown[] | undefined) ?? [];
    const providers = found.get(type.name) ?? new Set();
    found.set(type.name, providers);
    for (const provider of [...metadata('providers'), ...(dynamic?.providers ?? [])]) {
      if (typeof provider === 'function') providers.add(provider);
    }
    for (const imported of [...metadata('imports'), ...(dynamic?.imports ?? [])]) visit(imported as ModuleReference);
  };
  visit(root);
  return found;
}

describe('the modules of the service', () => {
  it('share no provider: each provider belongs to one module, which exports it', () => {
    const owners = new Map<unknown, string[]>();
    for (const [module, providers] of providersOf(
      AppModule.of({ database: Object.create(Database.prototype) as Database }),
    )) {
      for (const provider of providers) owners.set(provider, [...(owners.get(provider) ?? []), module]);
    }
    const shared = [...owners].filter(([, modules]) => modules.length > 1);
    expect(owners.size).toBeGreaterThan(200);
    expect(shared.map(([provider, modules]) => `${(provider as Type).name}: ${modules.join(', ')}`)).toEqual([]);
  });
});

it.each(readdirSync('src/features'))(
  'the module of src/features/%s says why it exists and where to begin',
  (feature) => {
    const modules = readdirSync(`src/features/${feature}`).filter((file) => file.endsWith('.module.ts'));
    const texts = modules.map((file) => readFileSync(`src/features/${feature}/${file}`, 'utf8'));
    expect(texts.join('\n')).toMatch(/\/\*\*\n(?: \* .*\n)+ \*\/\n@Module/);
    expect(texts.join('\n')).toContain('Begin at');
  },
);
