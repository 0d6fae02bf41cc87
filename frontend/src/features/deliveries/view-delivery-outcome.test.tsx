import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { expectAccessible } from '@/test/axe';
import { attachment, completedDelivery, fullDelivery, historyStep, variance } from '@/test/delivery';
import { openDelivery, panel, ready, sent, setStage, stage } from '@/test/view-delivery';
// Loaded up front, so that no test waits for a lazy import.
import './view-delivery-page';

// Simulated typing is slow on busy machines.
vi.setConfig({ testTimeout: 60_000 });
beforeEach(setStage);

describe('items and variances', () => {
  it('say what differs, with a sign, and why', async () => {
    const { user } = openDelivery();
    await ready();
    const row = await screen.findByRole('row', { name: /Goods 20/ });
    await waitFor(() => expect(row).toHaveTextContent('Damaged in transit'));
    expect(row).toHaveTextContent('2422−2');
    expect(screen.getByRole('row', { name: /Goods 10/ })).toHaveTextContent('40400None');
    expect(within(row).getByRole('link', { name: '20' })).toHaveAttribute(
      'href',
      '/view-delivery-item/DR-1/20',
    );
    await user.click(screen.getByRole('button', { name: 'Variances only' }));
    expect(screen.queryByRole('row', { name: /Goods 10/ })).not.toBeInTheDocument();
    const variances = panel('Variances');
    expect(variances.getByRole('listitem')).toHaveTextContent(
      'Item 20−2 boxDamaged in transitCarla Tan asks for a credit memodriver',
    );
    expect(variances.getByText('Two cases leaked on the lower layer.', { exact: false })).toBeInTheDocument();
  });

  it('say nothing of variances before anything was counted', async () => {
    stage.delivery = fullDelivery();
    openDelivery();
    await ready();
    expect(screen.queryByRole('columnheader', { name: 'Delivered' })).not.toBeInTheDocument();
    expect(screen.queryByRole('region', { name: 'Variances' })).not.toBeInTheDocument();
  });
});

describe('proof', () => {
  beforeEach(() => {
    stage.delivery = completedDelivery({
      podRequirement: ['signature', 'photo', 'location'],
      addressPoint: { __typename: 'GeoPoint', lat: 14.559, lng: 121.02, accuracy: null },
      outcomePoint: { __typename: 'GeoPoint', lat: 14.57, lng: 121.03, accuracy: 12 },
      outcomeDistanceM: 1630,
      attachments: [
        attachment('sign', { kind: 'signature', contentType: 'image/png' }),
        attachment('goods'),
        attachment('later', {
          addedAfterCompletion: true,
          receivedAt: '2026-11-20T05:00:00Z',
          itemNumber: '20',
        }),
      ],
    });
  });

  it('shows who signed, the files with their marks, and the place with a warning', async () => {
    openDelivery();
    await ready();
    const proof = panel('Proof of delivery');
    expect(proof.getByText('Carla Tan')).toBeInTheDocument();
    expect(proof.getByText('Colleague')).toBeInTheDocument();
    expect(proof.getByText('Signed 10:58 AM')).toBeInTheDocument();
    const files = within(proof.getByRole('list', { name: 'Files' })).getAllByRole('listitem');
    expect(files.map((file) => file.textContent)).toEqual([
      'Photo 10:58 AM',
      'Photo, item 20 10:58 AMAdded laterUploaded late',
    ]);
    expect(proof.getByText('Signature')).toHaveTextContent('Signatureprovided');
    expect(panel('Location').getByText(/1.6 km from the address/)).toBeInTheDocument();
    await waitFor(() => expect(sent('MutatePresignedUrl')).toHaveLength(3));
    await expectAccessible();
  });

  it('enlarges a file: zoom, turn, what is known of it, and the next one', async () => {
    const { user } = openDelivery();
    await ready();
    await user.click(screen.getByRole('button', { name: 'Enlarge Photo, 10:58 AM' }));
    const viewer = within(await screen.findByRole('dialog', { name: 'Photo' }));
    const picture = await viewer.findByRole('img', { name: 'Photo' });
    expect(picture).toHaveAttribute('src', '/objects/proof/goods.jpg?sig=1');
    // One request is for the strip, and a later one for the viewer. Only concurrent requests are shared.
    const asked = sent('MutatePresignedUrl').filter(({ variables }) => variables.url === '/objects/proof/goods.jpg');
    expect(asked).toHaveLength(2);
    await user.click(viewer.getByRole('button', { name: 'Zoom in' }));
    expect(viewer.getByText('150%')).toBeInTheDocument();
    await user.click(viewer.getByRole('button', { name: 'Rotate right' }));
    expect(picture.closest('[style*="rotate(90deg)"]')).not.toBeNull();
    expect(viewer.getByText('20 KB · 1200 × 900 px')).toBeInTheDocument();
    expect(viewer.getByText('Rico Santos, driver app')).toBeInTheDocument();
    expect(viewer.getByText('ab'.repeat(32))).toBeInTheDocument();
    await user.click(viewer.getByRole('button', { name: 'Next file' }));
    expect(await screen.findByRole('dialog', { name: 'Photo, item 20' })).toBeInTheDocument();
    expect(screen.getByText('100%')).toBeInTheDocument();
    await expectAccessible(screen.getByRole('dialog'));
  });

  it('opens the original by a link that is requested at the click', async () => {
    const saved: string[] = [];
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      saved.push(this.getAttribute('href') ?? '');
    });
    const { user } = openDelivery();
    await ready();
    await user.click(screen.getByRole('button', { name: 'Enlarge Photo, 10:58 AM' }));
    const viewer = within(await screen.findByRole('dialog', { name: 'Photo' }));
    await viewer.findByRole('img', { name: 'Photo' });
    stage.link = { data: { mutatePresignedUrl: { __typename: 'PresignedUrl', presignedUrl: '/objects/new' } } };
    await user.click(viewer.getByRole('button', { name: 'Open original' }));
    await waitFor(() => expect(saved).toEqual(['/objects/new']));
    stage.link = { errors: [{ message: '', extensions: { code: 'FAILED_PRECONDITION', reason: 'OBJECT_DAMAGED' } }] };
    await user.click(viewer.getByRole('button', { name: 'Open original' }));
    expect(await screen.findByText(/^This file was damaged in storage/)).toBeInTheDocument();
    expect(saved).toHaveLength(1);
  });

  it('renews an expired link once, and then says that the picture cannot be shown', async () => {
    const { user } = openDelivery();
    await ready();
    await user.click(screen.getByRole('button', { name: 'Enlarge Photo, 10:58 AM' }));
    const viewer = within(await screen.findByRole('dialog', { name: 'Photo' }));
    const picture = await viewer.findByRole('img', { name: 'Photo' });
    stage.link = { data: { mutatePresignedUrl: { __typename: 'PresignedUrl', presignedUrl: '/objects/new' } } };
    const links = sent('MutatePresignedUrl').length;
    fireEvent.error(picture);
    await waitFor(() => expect(picture).toHaveAttribute('src', '/objects/new'));
    fireEvent.error(picture);
    expect(viewer.getByText("Can't be shown")).toBeInTheDocument();
    expect(sent('MutatePresignedUrl')).toHaveLength(links + 1);
  });

  it("shows the signature of an earlier attempt although the latest one can't be shown", async () => {
    stage.delivery = fullDelivery({
      attempt: 2,
      attachments: ['1', '2'].map((attempt) =>
        attachment(`sign${attempt}`, { kind: 'signature', contentType: 'image/png', attempt: Number(attempt) }),
      ),
      history: [
        historyStep('h1', { toStatus: 'Undelivered', reasonCode: 'recipient_absent' }),
        historyStep('h2', { attempt: 2, receivedAt: '2026-11-20T04:00:00Z' }),
      ],
    });
    const { user } = openDelivery();
    await ready();
    const signature = () => screen.getByRole('button', { name: /^Enlarge Signature/ });
    const picture = () => signature().querySelector('img');
    await waitFor(() => expect(picture()).not.toBeNull());
    stage.link = { data: { mutatePresignedUrl: { __typename: 'PresignedUrl', presignedUrl: '/objects/new' } } };
    fireEvent.error(picture() as HTMLElement);
    await waitFor(() => expect(picture()).toHaveAttribute('src', '/objects/new'));
    fireEvent.error(picture() as HTMLElement);
    expect(signature()).toHaveTextContent("Can't be shown");
    await user.click(screen.getByRole('link', { name: 'Attempt 1: Undelivered' }));
    await waitFor(() => expect(picture()).not.toBeNull());
  });

  it('tells a damaged file from one that cannot be loaded just then, and loads that again', async () => {
    stage.link = { errors: [{ message: '', extensions: { code: 'FAILED_PRECONDITION', reason: 'OBJECT_DAMAGED' } }] };
    const { unmount } = openDelivery();
    await ready();
    await waitFor(() => expect(screen.getAllByText('File is damaged')).toHaveLength(3));
    unmount();
    stage.link = { errors: [{ message: 'Busy', extensions: { code: 'UNAVAILABLE' } }] };
    openDelivery();
    await ready();
    await waitFor(() => expect(screen.getAllByText("Can't be loaded right now")).toHaveLength(3));
    stage.link = undefined;
    await waitFor(() => expect(screen.queryByText("Can't be loaded right now")).not.toBeInTheDocument());
    expect(screen.queryByText("Can't be shown")).not.toBeInTheDocument();
  });
});

describe('the time window', () => {
  const window = { timeWindowEnd: '2026-11-20T03:30:00Z', deliverydatetime: '2026-11-20T03:08:00Z' };

  it('is kept by what was handed over', async () => {
    stage.delivery = completedDelivery(window);
    openDelivery();
    await ready();
    expect(screen.getByText('On time')).toBeInTheDocument();
  });

  it('is not kept by an attempt that failed within it', async () => {
    stage.delivery = fullDelivery({ ...window, deliverystatus: 'Undelivered' });
    openDelivery();
    await ready();
    expect(screen.queryByText('On time')).not.toBeInTheDocument();
  });
});

describe('attempts', () => {
  beforeEach(() => {
    stage.delivery = fullDelivery({
      attempt: 2,
      attachments: [attachment('gate', { attempt: 1 })],
      variances: [variance('v1', { attempt: 1, difference: -24, reason: 'Recipient absent' })],
      history: [
        historyStep('h1'),
        historyStep('h2', {
          toStatus: 'Undelivered',
          reasonCode: 'recipient_absent',
          note: 'Gate locked',
          occurredAt: '2026-11-20T02:00:00Z',
          receivedAt: '2026-11-20T03:00:00Z',
          late: true,
        }),
        historyStep('h3', { attempt: 2, receivedAt: '2026-11-20T04:00:00Z' }),
      ],
    });
  });

  it('have a tab each; an earlier one shows what it came to', async () => {
    const { user, address } = openDelivery();
    await ready();
    const tabs = within(screen.getByRole('navigation', { name: 'Attempts' }));
    expect(tabs.getByRole('link', { name: 'Attempt 2: Pending' })).toHaveAttribute('aria-current', 'page');
    expect(screen.queryByText('Gate locked', { exact: false })).not.toBeInTheDocument();
    await user.click(tabs.getByRole('link', { name: 'Attempt 1: Undelivered' }));
    expect(address()).toBe('/view-delivery/DR-1?attempt=1');
    expect(panel('Variances').getByText('Gate locked')).toBeInTheDocument();
    expect(panel('Proof of delivery').getByText('Recipient absent')).toBeInTheDocument();
    const [end] = within(screen.getByRole('list', { name: 'Status timeline' })).getAllByRole('listitem');
    expect(end).toHaveTextContent('Reported Nov 20, 2026 11:00 AMRecorded late');
    await expectAccessible();
  });
});

describe('the timeline', () => {
  it('marks corrections and what was set aside, and tells the changes', async () => {
    stage.delivery = completedDelivery({
      history: [
        historyStep('h1'),
        historyStep('h2', {
          toStatus: 'Complete_With_Variance',
          actorType: 'user',
          actorName: 'dennis',
          correctionOf: 'h1',
          receivedAt: '2026-11-20T04:00:00Z',
          changes: [
            { __typename: 'FieldChange', itemNumber: '20', field: 'quantityDelivered', before: '24', after: '22' },
            { __typename: 'FieldChange', itemNumber: null, field: 'outcomeReason', before: 'recipient_absent', after: 'shared' },
          ],
        }),
        historyStep('h3', { toStatus: 'Rejected', superseded: true, receivedAt: '2026-11-20T05:00:00Z' }),
      ],
    });
    const { user } = openDelivery();
    await ready();
    const steps = within(screen.getByRole('list', { name: 'Status timeline' }));
    const [aside, correction] = steps.getAllByRole('listitem');
    expect(aside).toHaveTextContent('Superseded');
    expect(correction).toHaveTextContent('dennis, office');
    expect(correction).toHaveTextContent('Correction');
    await user.click(steps.getByText('2 changes'));
    expect(correction).toHaveTextContent('Item 20 Delivered: 24 → 22');
    expect(correction).toHaveTextContent('Reason: Recipient absent → Site closed / Refused at the gate');
  });
});

describe('a conflict', () => {
  it('is marked as reviewed', async () => {
    stage.delivery = completedDelivery({ conflict: true });
    const { user } = openDelivery();
    await ready();
    expect(screen.getByText(/Late update from a driver/)).toBeInTheDocument();
    stage.delivery = completedDelivery({ version: 4 });
    const review = screen.getByRole('button', { name: 'Mark as reviewed' });
    expect(review).toHaveAttribute('aria-keyshortcuts', 'r');
    act(() => review.focus());
    await user.keyboard('r');
    expect(await screen.findByText('Marked as reviewed')).toBeInTheDocument();
    expect(sent('ResolveConflict')[0]?.variables).toEqual({ input: { deliveryId: 'DR-1', version: 3 } });
    await waitFor(() =>
      expect(screen.queryByText(/Late update from a driver/)).not.toBeInTheDocument(),
    );
    expect(screen.getByRole('heading', { level: 1 })).toHaveFocus();
  });

  it('is only told to those who read', async () => {
    stage.delivery = completedDelivery({ conflict: true });
    openDelivery('/view-delivery/DR-1', { roles: ['viewer'] });
    await ready();
    expect(screen.getByText(/Late update from a driver/)).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Mark as reviewed' })).not.toBeInTheDocument();
  });
});
