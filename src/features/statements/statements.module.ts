import { Module } from '@nestjs/common';
import { ReleasesModule } from '../releases/releases.module.js';
import { SigningModule } from '../signing/signing.module.js';
import { StatementsController } from './statements.controller.js';
import { StatementsMetrics } from './statements.metrics.js';
import { StatementsQueries } from './statements.queries.js';
import { StatementsService } from './statements.service.js';

/**
 * A statement is a signed answer of the gate, which a cluster or a later step verifies without the service. Begin at
 * `statements.service.ts`. `src/client/verify-statement/` verifies one.
 */
@Module({
  imports: [ReleasesModule, SigningModule],
  controllers: [StatementsController],
  providers: [StatementsMetrics, StatementsQueries, StatementsService],
})
export class StatementsModule {}
