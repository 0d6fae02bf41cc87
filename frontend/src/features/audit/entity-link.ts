import { routes } from '@/routing/routes';
import { changesOf } from './changes';
import type { AuditEntry } from './queries';

type Subject = Pick<AuditEntry, 'action' | 'entity' | 'entityId' | 'before' | 'after'>;

/**
 * Returns the page of the record that the action was about, or undefined if there is no such page or the record was
 * deleted.
 */
export function entityLink({ action, entity, entityId, before, after }: Subject): string | undefined {
  if (entityId === '' || action.endsWith('.deleted')) return undefined;
  switch (entity) {
    case 'user':
      return routes.viewUser({ id: entityId });
    case 'driver':
      return routes.viewDriver({ driverId: entityId });
    case 'device': {
      // A device is shown on the page of the driver it was paired with.
      const driver = changesOf(before, after).find(({ field }) => field === 'driverId');
      const driverId = driver?.after ?? driver?.before;
      return typeof driverId === 'string' ? routes.viewDriver({ driverId }) : undefined;
    }
    case 'delivery':
      return routes.viewDelivery({ deliveryId: entityId });
    case 'setting':
      return routes.adminSystemSetting({ settingsId: entityId });
    case 'logo':
      return routes.editLogo();
    case 'announcement':
      return routes.viewAnnouncement({ id: entityId });
    case 'report_setting':
      return routes.reportSetting({ id: entityId });
    case 'endpoint':
    case 'producer':
    case 'dead_letter':
      return routes.deadLetters();
    case 'customer':
      return routes.viewCustomer({ customerName: entityId });
    case 'source':
      return routes.viewSource({ sourceId: entityId });
    case 'import':
      return routes.uploadedDetails({ uploadLog: entityId });
    default:
      return undefined;
  }
}
