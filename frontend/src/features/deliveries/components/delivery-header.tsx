import type { ReactNode } from 'react';
import { StatusChip } from '@/ui/status-chip';
import type { Delivery } from '../delivery-queries';
import { CopyButton } from './copy-button';

interface DeliveryHeaderProps {
  delivery: Pick<Delivery, 'id' | 'deliverystatus' | 'customername'>;
  /** At the right end. */
  children?: ReactNode;
}

export function DeliveryHeader({ delivery, children }: DeliveryHeaderProps) {
  return (
    <div className="mb-4 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
      <div className="flex min-w-0 items-center gap-1">
        <h2 className="text-xl font-semibold wrap-anywhere">{delivery.id}</h2>
        <CopyButton text={delivery.id} />
      </div>
      <StatusChip kind="delivery" status={delivery.deliverystatus} size={24} />
      <span className="min-w-0 text-sm text-muted wrap-anywhere">{delivery.customername}</span>
      {children && (
        <div className="ml-auto flex flex-wrap items-center gap-2 max-md:ml-0">{children}</div>
      )}
    </div>
  );
}
