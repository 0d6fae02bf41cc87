import { StatusChip } from '@/ui/status-chip';
import type { Delivery } from '../queries';
import { CopyButton } from './copy-button';
import { ListPosition } from './list-position';

export function DeliveryHeader({ delivery }: { delivery: Delivery }) {
  return (
    <div className="mb-4 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1.5">
      <div className="flex min-w-0 items-center gap-1">
        <h2 className="text-xl font-semibold wrap-anywhere">{delivery.id}</h2>
        <CopyButton text={delivery.id} />
      </div>
      <StatusChip kind="delivery" status={delivery.deliverystatus} size={24} />
      <span className="text-sm text-muted">{delivery.customername}</span>
      <div className="ml-auto">
        <ListPosition id={delivery.id} />
      </div>
    </div>
  );
}
