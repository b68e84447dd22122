import { DefaultNamingStrategy, type Table } from 'typeorm';
import * as billing from './billing.entities.js';
import * as evidence from './evidence.entities.js';
import * as history from './history.entities.js';
import * as keys from './keys.entities.js';
import * as members from './members.entities.js';
import * as overrides from './overrides.entities.js';
import * as projects from './projects.entities.js';
import * as quality from './quality.entities.js';
import * as releases from './releases.entities.js';
import * as repositories from './repositories.entities.js';
import * as sync from './sync.entities.js';
import * as system from './system.entities.js';
import * as tenancy from './tenancy.entities.js';
import * as users from './users.entities.js';
import * as webhooks from './webhooks.entities.js';

/** An entity for each table. The entities declare the schema that the migrations create, and a test compares the two. */
export const ENTITIES = [
  tenancy,
  members,
  users,
  releases,
  evidence,
  quality,
  history,
  overrides,
  projects,
  billing,
  keys,
  repositories,
  sync,
  webhooks,
  system,
].flatMap((area) => Object.values<new () => object>({ ...area }));

/**
 * The default names of Postgres, for constraints that a migration does not name: `release_org_id_repository_id_fkey`, `release_pkey`.
 * A column has the name of its property, unless the entity states another name.
 */
export class PostgresNames extends DefaultNamingStrategy {
  override columnName(property: string, stated?: string): string {
    if (stated) return stated;
    return property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }

  override primaryKeyName(table: Table | string): string {
    return `${this.getTableName(table)}_pkey`;
  }

  override uniqueConstraintName(table: Table | string, columns: string[]): string {
    return `${this.getTableName(table)}_${columns.join('_')}_key`;
  }

  override foreignKeyName(table: Table | string, columns: string[]): string {
    return `${this.getTableName(table)}_${columns.join('_')}_fkey`;
  }
}
