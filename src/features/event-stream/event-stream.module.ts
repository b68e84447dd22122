import { Module } from '@nestjs/common';
import { SessionModule } from '../../auth/session/session.module.js';
import { EventsModule } from '../../events/events.module.js';
import { EventsController } from './events.controller.js';
import { EventStreamsService } from './event-streams.service.js';
import { EventsQueries } from './events.queries.js';
import { NotificationListener } from './notification-listener.js';

/**
 * The dashboard learns of changes without polling. Each process listens once for notifications of the database and
 * sends the events of a workspace to its readers. Begin at `event-streams.service.ts`. Features append events with
 * `src/events/`.
 */
@Module({
  imports: [SessionModule, EventsModule],
  controllers: [EventsController],
  providers: [NotificationListener, EventStreamsService, EventsQueries],
})
export class EventStreamModule {}
