import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { EventsModule } from '../events/events.module.js';
import { ObservationsModule } from '../observations/observations.module.js';
import { PeopleModule } from '../people/people.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ReposModule } from '../repos/repos.module.js';
import { ScopeChanges } from './scope-changes.service.js';
import { ScopeClaimsRepository } from './scope-claims.repository.js';
import { ScopeClaims } from './scope-claims.service.js';
import { ScopeController } from './scope.controller.js';
import { ScopeFacts } from './scope-facts.service.js';
import { ScopeHost } from './scope-host.service.js';
import { ScopeLog } from './scope-log.recorder.js';
import { ScopeWriteLimits } from './scope-write-limits.service.js';
import { ScopeWriters } from './scope-writers.service.js';
import { ScopedReleases } from './scoped-releases.reader.js';

@Module({
  imports: [AuditModule, EventsModule, ObservationsModule, PeopleModule, ReleasesModule, ReposModule],
  controllers: [ScopeController],
  providers: [
    ScopeChanges,
    ScopeClaims,
    ScopeClaimsRepository,
    ScopeFacts,
    ScopeHost,
    ScopeLog,
    ScopeWriteLimits,
    ScopeWriters,
    ScopedReleases,
  ],
  exports: [ScopeChanges],
})
export class ScopeModule {}
