import { useTranslation } from 'react-i18next';
import { RecordState } from '@/data/query-state';
import { useDeliveryChanges } from '@/data/use-changes';
import { useRecord } from '@/data/use-record';
import { RecordLink } from '@/list/record-link';
import { routes, useRouteParams } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';
import { Skeleton } from '@/ui/skeleton';
import { StateView } from '@/ui/state-view';
import { FormView } from './form-view';
import { type FormDelivery, formQuery } from './queries';

/** Reads a delivery with its forms, and one of them in full; by default the newest. */
function useDeliveryForm(deliveryId: string, formVersion: number | undefined) {
  const result = useRecord({
    document: formQuery,
    variables: { deliveryId, formVersion: formVersion ?? null },
    typenames: ['Delivery', 'DeliveryForm', 'Attachment'],
    read: ({ delivery, deliveryForm }) => delivery && { delivery, form: deliveryForm },
  });
  // A correction elsewhere issues a new version.
  useDeliveryChanges([deliveryId], result.refresh);
  return result;
}

/** Parses the version in the address. */
function versionAsked(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined;
}

export default function ViewFormPage() {
  const { t } = useTranslation('delivery-forms');
  const params = useRouteParams('viewForm');
  const { deliveryId, code } = params;
  const asked = versionAsked(params.formVersion);
  const result = useDeliveryForm(deliveryId, asked);
  // A form fills the page. If there is none, the message is framed as on other pages.
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

/** Skeleton in the layout of the form, so that nothing shifts when it loads. */
function FormSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')} className="flex flex-1 flex-col">
      <div className="flex h-12 items-center gap-3 border-b border-line bg-surface px-4 md:px-6">
        <Skeleton className="h-5 w-32" />
        <Skeleton className="h-6 w-28 rounded-full" />
      </div>
      <div className="flex-1 bg-raised p-4 md:p-6">
        <div className="mx-auto flex h-[60vh] max-w-[816px] flex-col gap-4 bg-surface p-8">
          <Skeleton className="h-8 w-48" />
          <Skeleton className="h-4 w-full rounded-full" />
          <Skeleton className="h-4 w-3/4 rounded-full" />
          <Skeleton className="h-40 w-full" />
        </div>
      </div>
    </div>
  );
}

interface NoFormProps {
  delivery: FormDelivery;
  /** The requested version, if any. */
  asked: number | undefined;
  /** Whether the URL has the code of a printed form. Without the form, the code cannot be valid. */
  hasCode: boolean;
}

/** Explains why the form or version does not exist, and where to go instead. */
function NoForm({ delivery, asked, hasCode }: NoFormProps) {
  const { t } = useTranslation('delivery-forms');
  const { id, deliverystatus, formVersion } = delivery;
  const isVersionMissing = asked !== undefined && formVersion > 0;
  const reason = isVersionMissing
    ? 'noVersion'
    : deliverystatus === 'Pending'
      ? 'pending'
      : 'notIssued';
  return (
    <>
      {hasCode && (
        <Note tone="bad" role="alert" title={t('code.unknown.title')} className="m-4 md:m-6">
          {t('code.unknown.text')}
        </Note>
      )}
      <StateView
        kind="empty"
        className="my-auto"
        title={t(`empty.${reason}.title`, { version: asked })}
        text={t(`empty.${reason}.text`, { id, newest: formVersion })}
        actions={
          <>
            {isVersionMissing && (
              <Button asChild size={36}>
                <RecordLink to={routes.viewForm({ deliveryId: id })}>{t('empty.newest')}</RecordLink>
              </Button>
            )}
            <Button asChild variant="primary" size={36}>
              <RecordLink to={routes.viewDelivery({ deliveryId: id })}>{t('empty.view')}</RecordLink>
            </Button>
          </>
        }
      />
    </>
  );
}
