import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { ReposModule } from '../../workspaces/repos.module.js';
import { PeopleModule } from '../accounts/people.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ObservationsModule } from './observations.module.js';
import { ReleasesModule } from './releases.module.js';
import { ScopeClaimsRepository } from './scope/scope-claims.repository.js';
import { ScopeFacts } from './scope/scope-facts.service.js';
import { ScopeHost } from './scope/scope-host.service.js';
import { ScopeClaims } from './scope/scope-locks.service.js';
import { ScopeLog } from './scope/scope-log.recorder.js';
import { ScopeWriteLimits } from './scope/scope-write-limits.service.js';
import { ScopeWriters } from './scope/scope-writers.service.js';
import { ScopeController } from './scope/scope.controller.js';
import { ScopeChanges } from './scope/scope.service.js';
import { ScopedReleases } from './scope/scoped-releases.reader.js';

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
