import { Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Controller, useForm, type UseFormReturn, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { useAuth } from '@/auth/use-auth';
import { type AppError, normalizeError } from '@/data/errors';
import { useTimeZone } from '@/data/use-time-zone';
import { sourceLookup } from '@/domain/lookups/lookups';
import { TextField } from '@/form/fields';
import { Form, FormSummary, SubmitButton } from '@/form/form';
import { limits, said } from '@/form/limits';
import { LookupField } from '@/form/lookup-field';
import { readQuantity } from '@/form/quantity';
import { ruleMessages } from '@/form/rule-message';
import { showFieldErrors } from '@/form/use-save';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/dialog';
import { Note } from '@/ui/note';
import { Panel } from '@/ui/panel';
import { toast } from '@/ui/toast';
import { createDeliveryMutation } from '../delivery-queries';
import { FormFooter } from '../while-allowed';
import { type Draft, dropDraft, emptyDraft, isEmptyDraft, readDraft, writeDraft } from './draft';
import { headErrors, HeadFields, useHeadLabels } from './head-fields';
import { HEAD_FIELDS, headInput, type HeadValues } from './head-values';
import { wrongItems } from './item-fields';
import { itemInput, type ItemValues } from './item-values';
import { ItemsTable } from './items-table';

export default function NewDeliveryPage() {
  const { currentUser } = useAuth();
  return (
    <PageFrame>
      <NewDeliveryForm userId={currentUser?.id ?? ''} />
    </PageFrame>
  );
}

type Values = HeadValues & { id: string; sourceId: string };

const verbatim = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;
const noAddress = { address: '', point: null };

const valuesOf = ({ id, sourceId, head }: Draft): Values => ({ ...head, id, sourceId });

function draftOf({ id, sourceId, ...head }: Values, items: ItemValues[]): Draft {
  return { id, sourceId, head, items };
}

/** A delivery that comes from no file. What is typed is kept in this tab until it is created. */
function NewDeliveryForm({ userId }: { userId: string }) {
  const { t } = useTranslation(['delivery-form', 'deliveries', 'common', 'form']);
  const navigate = useNavigate();
  const timeZone = useTimeZone();
  const headLabels = useHeadLabels();
  const [kept] = useState(() => readDraft(userId));
  const [isRestored, setRestored] = useState(() => !isEmptyDraft(kept));
  const [items, setItems] = useState(kept.items);
  const [asked, setAsked] = useState<string>();
  const [failure, setFailure] = useState<AppError>();
  const [, execute] = useMutation(createDeliveryMutation);
  const form = useForm<Values>({ defaultValues: valuesOf(kept) });
  const { getValues } = form;
  const typed = useWatch({ control: form.control });
  const { errors, isSubmitting } = form.formState;
  const labels = { id: t('deliveries:fields.id'), ...headLabels, sourceId: t('deliveries:fields.sourceId') };

  useEffect(() => {
    if (typed) writeDraft(userId, draftOf(getValues(), items));
  }, [typed, getValues, userId, items]);

  function discard() {
    form.reset(valuesOf(emptyDraft()));
    setItems([]);
    setFailure(undefined);
    setRestored(false);
    dropDraft(userId);
  }

  async function submit({ id, sourceId, ...head }: Values) {
    setFailure(undefined);
    const { data, error } = await execute({
      input: {
        id: id.trim(),
        sourceId: sourceId || null,
        ...headInput(head, undefined, timeZone),
        items: items.map(itemInput),
      },
    });
    if (data) {
      dropDraft(userId);
      toast.success(t('new.done', { id: data.createDelivery.id }));
      await navigate(routes.viewDelivery({ deliveryId: data.createDelivery.id }));
      return;
    }
    const failed = normalizeError(error);
    setFailure(failed);
    showFieldErrors<Values>(headErrors(failed), ['id', ...HEAD_FIELDS, 'sourceId'], form.setError);
  }

  return (
    <Form form={form} onSubmit={submit} className="flex flex-1 flex-col">
      <div className="flex max-w-[960px] flex-1 flex-col gap-4">
        {isRestored && (
          <Note
            action={
              <Button size={28} onClick={discard}>
                {t('new.discard')}
              </Button>
            }
          >
            {t('new.restored')}
          </Note>
        )}
        <FormSummary
          failure={failure}
          messages={ruleMessages(labels, errors)}
          setFocus={form.setFocus}
        />
        <Panel className="flex flex-col gap-4 p-4">
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              {...form.register('id', { ...said, maxLength: limits.code })}
              {...verbatim}
              label={labels.id}
              hint={t('hints.newId')}
              error={errors.id}
            />
            <Controller
              control={form.control}
              name="sourceId"
              render={({ field }) => (
                <LookupField
                  {...field}
                  strict
                  lookup={sourceLookup}
                  label={labels.sourceId}
                  hint={t('hints.sourceId')}
                  error={errors.sourceId}
                  optional
                />
              )}
            />
          </div>
          {/* It knows the boxes of the head only. */}
          <HeadFields
            form={form as unknown as UseFormReturn<HeadValues>}
            savedAddress={noAddress}
          />
        </Panel>
        <ItemsTable
          items={items.map((item) => ({
            ...item,
            description: item.description || null,
            sku: item.sku || null,
            unit: item.unit || null,
            quantity: readQuantity(item.quantity) ?? 0,
          }))}
          wrong={wrongItems(failure, items)}
          editAddress={(_, index) => routes.newDeliveryItem({ index })}
          onDelete={({ itemNumber }) => setAsked(itemNumber)}
          add={
            <Button asChild icon={Plus}>
              <Link to={routes.newDeliveryItem()}>{t('items.add')}</Link>
            </Button>
          }
        />
      </div>
      {asked !== undefined && (
        <ConfirmDialog
          danger
          title={t('items.question', { item: asked })}
          text={t('items.questionDraft')}
          confirm={t('items.confirm')}
          busy={t('items.deleting')}
          onConfirm={() => {
            setItems(items.filter(({ itemNumber }) => itemNumber !== asked));
            return Promise.resolve(undefined);
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
      <FormFooter errors={Object.keys(errors).length} note={t('new.kept')}>
        <Button asChild size={36}>
          <Link to={routes.deliveries()}>{t('cancel', { ns: 'common' })}</Link>
        </Button>
        <SubmitButton
          size={36}
          busy={isSubmitting}
          label={t('new.create')}
          busyLabel={t('new.creating')}
        />
      </FormFooter>
    </Form>
  );
}
