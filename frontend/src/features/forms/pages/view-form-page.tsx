import { useTranslation } from 'react-i18next';
import { RecordState } from '@/data/record-state';
import { useRouteParams } from '@/routing/route-params';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { FormSkeleton } from '../components/form-skeleton';
import { FormView } from '../components/form-view';
import { NoForm } from '../components/no-form';
import { useDeliveryForm, versionAsked } from '../use-delivery-form';

export default function ViewFormPage() {
  const { t } = useTranslation('forms');
  const params = useRouteParams('viewForm');
  const { deliveryId, code } = params;
  const asked = versionAsked(params.formVersion);
  const result = useDeliveryForm(deliveryId, asked);
  // A form has the whole page; that there is none stands where it does everywhere.
  const isMissing = result.value === null || (result.value === undefined && Boolean(result.error));
  const state = (
    <RecordState
      result={result}
      loading={<FormSkeleton />}
      notFound={{
        title: t('notFound.title'),
        text: t('notFound.text', { id: deliveryId }),
        action: t('notFound.action'),
        to: routes.forms(),
      }}
    >
      {({ delivery, form }) =>
        form?.description ? (
          <FormView
            key={`${form.deliveryId} ${form.formVersion}`}
            delivery={delivery}
            form={form}
            complete={form.description}
            code={code}
          />
        ) : (
          <NoForm delivery={delivery} asked={asked} hasCode={code !== undefined} />
        )
      }
    </RecordState>
  );
  return isMissing ? <PageFrame>{state}</PageFrame> : state;
}
