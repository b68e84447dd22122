import { Module } from '@nestjs/common';
import { SessionModule } from '../../auth/session/session.module.js';
import { EventsModule } from '../../events/events.module.js';
import { EventsController } from './event-stream.controller.js';
import { EventStreamsService } from './event-streams.service.js';
import { EventsQueries } from './events.queries.js';
import { NotificationListener } from './notification-listener.js';

@Module({
  imports: [SessionModule, EventsModule],
  controllers: [EventsController],
  providers: [NotificationListener, EventStreamsService, EventsQueries],
})
export class EventStreamModule {}
