import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { FreezesController } from './freezes.controller.js';
import { FreezesRepository } from './freezes.repository.js';
import { FreezesService } from './freezes.service.js';
import { OverridesController } from './overrides.controller.js';
import { BreakGlassController } from './break-glass.controller.js';
import { WaiversController } from './waivers.controller.js';
import { OverridesQueries } from './overrides.queries.js';
import { OverridesRepository } from './overrides.repository.js';
import { OverridesService } from './overrides.service.js';
import { TwoPersonApprovalService } from './two-person-approval.service.js';

/**
 * Sometimes a release must ship, or must not, against its evidence. Waivers, approvals by two users, break-glass and
 * freezes say so with a reason and an end, and are logged. Begin at `overrides.service.ts`. The rules are in
 * `src/domain/override/`.
 */
@Module({
  imports: [AuditModule, EventsModule, AccountsModule, ReleasesModule],
  controllers: [OverridesController, FreezesController, WaiversController, BreakGlassController],
  providers: [
    OverridesService,
    OverridesQueries,
    OverridesRepository,
    FreezesService,
    FreezesRepository,
    TwoPersonApprovalService,
  ],
})
export class OverridesModule {}
