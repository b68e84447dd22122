import { DefaultNamingStrategy } from 'typeorm';
import * as audit from './audit.entities.js';
import * as billing from './billing.entities.js';
import * as keys from './keys.entities.js';
import * as members from './members.entities.js';
import * as overrides from './overrides.entities.js';
import * as projects from './projects.entities.js';
import * as repositories from './repositories.entities.js';
import * as sync from './sync.entities.js';
import * as tenancy from './tenancy.entities.js';

/** The rows that repositories read and write through the entity manager. A test compares their columns with the schema. */
export const ENTITIES = [audit, billing, keys, members, overrides, projects, repositories, sync, tenancy].flatMap(
  (area) => Object.values<new () => object>({ ...area }),
);

/** A column has the name of its property in snake case, unless the entity states another name. */
export class ColumnNames extends DefaultNamingStrategy {
  override columnName(property: string, stated?: string): string {
    if (stated) return stated;
    return property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }
}
