import { useRouteParams } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { DeliveryHeader } from '../components/delivery-header';
import { DeliverySkeleton } from '../components/delivery-skeleton';
import { DeliveryState } from '../components/delivery-state';
import { WhileAllowed } from '../components/while-allowed';
import type { Delivery, DeliveryAction } from '../delivery-queries';
import { EditForm } from '../forms/edit-form';
import { CorrectForm } from '../outcomes/correct-form';
import { OutcomeForm } from '../outcomes/outcome-form';
import type { OutcomeKind } from '../outcomes/outcome-values';
import { useDelivery } from '../use-delivery';

/** What an address asks for, by its parameter `outcome`; without it the facts are edited. */
const actions: Record<OutcomeKind | 'correct' | 'facts', DeliveryAction> = {
  delivered: 'complete',
  undelivered: 'mark_undelivered',
  rejected: 'reject',
  correct: 'correct_lines',
  facts: 'edit',
};
type Asked = keyof typeof actions;

const isAsked = (text: string | undefined): text is Asked =>
  text !== undefined && Object.hasOwn(actions, text);

export default function EditDeliveryPage() {
  const { deliveryId, outcome } = useRouteParams('editDelivery');
  const result = useDelivery(deliveryId);
  const asked = isAsked(outcome) ? outcome : 'facts';
  return (
    <PageFrame>
      <DeliveryState id={deliveryId} result={result} loading={<DeliverySkeleton />}>
        {(delivery) => (
          <>
            <DeliveryHeader delivery={delivery} />
            {/* Another delivery, or another thing to do with it, is another form. */}
            <WhileAllowed
              key={`${asked}/${delivery.id}`}
              delivery={delivery}
              action={actions[asked]}
            >
              <AskedForm asked={asked} delivery={delivery} onReload={result.retry} />
            </WhileAllowed>
          </>
        )}
      </DeliveryState>
    </PageFrame>
  );
}

interface AskedFormProps {
  asked: Asked;
  delivery: Delivery;
  onReload: () => void;
}

function AskedForm({ asked, ...props }: AskedFormProps) {
  if (asked === 'facts') return <EditForm {...props} />;
  if (asked === 'correct') return <CorrectForm {...props} />;
  return <OutcomeForm kind={asked} {...props} />;
}
