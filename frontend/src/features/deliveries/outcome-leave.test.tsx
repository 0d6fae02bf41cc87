import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { enter } from '@/test/enter';
import { FakeRequest } from '@/test/fake-request';
import type { Answer } from '@/test/fake-server';
import { box, open, photo, picker, recorded, save, sent, setStage, stage } from '@/test/outcome-form';
// Loaded up front, so that no test waits for a lazy import.
import './edit/edit-delivery-page';
import './view-delivery-page';

// Simulated typing is slow on busy machines.
vi.setConfig({ testTimeout: 60_000 });

beforeEach(setStage);

it('asks before what was typed is left', async () => {
  const { user, address, router } = await open('delivered');
  await enter(user, box('Received by'), 'Carla');
  // The address of the other form differs by its query only.
  void router.navigate('/edit-delivery/DR-1');
  await user.click(await screen.findByRole('button', { name: 'Stay' }));
  expect(box('Received by')).toHaveValue('Carla');
  await user.click(screen.getByRole('link', { name: 'Cancel' }));
  expect(await screen.findByRole('alertdialog', { name: 'Leave without saving?' })).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Leave' }));
  await waitFor(() => expect(address()).toBe('/view-delivery/DR-1'));
});

it('takes no corrections while the outcome is being recorded, since they would be lost', async () => {
  let record: (answer: Answer) => void = () => undefined;
  stage.answers.RecordOutcome = () =>
    new Promise((resolve) => {
      record = resolve;
    });
  const { user, address } = await open('delivered');
  await user.click(save());
  await waitFor(() => expect(box('Received by').closest('[inert]')).not.toBeNull());
  expect(box('Latitude').closest('[inert]')).not.toBeNull();
  expect(picker('Add photos')).toBeDisabled();
  expect(screen.getByRole('link', { name: 'Cancel' }).closest('[inert]')).toBeNull();
  await act(async () => record(recorded('Complete_No_Variance')));
  await waitFor(() => expect(address()).toBe('/view-delivery/DR-1'));
});

it('shows the progress of its files, of which those that wait can still be removed', async () => {
  const { user, address } = await open('delivered');
  await user.upload(picker('Add photos'), [photo, new File(['jpeg'], 'seal.jpg', { type: 'image/jpeg' })]);
  await user.click(save());
  const progress = await screen.findByRole('progressbar', { name: /goods\.jpg/ });
  expect(progress.closest('[inert]')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Remove seal.jpg' }));
  const put = await waitFor(() => FakeRequest.last());
  act(() => put.answer(200));
  await waitFor(() => expect(address()).toBe('/view-delivery/DR-1'));
  expect(sent('AddAttachment')).toHaveLength(1);
});

describe('leaving while a file is uploaded', () => {
  async function upload() {
    const view = await open('delivered');
    await view.user.upload(picker('Add photos'), photo);
    await view.user.click(save());
    const put = await waitFor(() => FakeRequest.last());
    await view.user.click(screen.getByRole('link', { name: 'Cancel' }));
    await screen.findByRole('alertdialog', { name: 'Leave before this is saved?' });
    return { ...view, put };
  }

  it('is asked about, and does not stop the upload before it is answered', async () => {
    const { user, address, put } = await upload();
    await user.click(screen.getByRole('button', { name: 'Stay' }));
    act(() => put.answer(200));
    expect(await screen.findByText('DR-1: Complete no variance')).toBeInTheDocument();
    await waitFor(() => expect(address()).toBe('/view-delivery/DR-1'));
  });

  it('keeps the outcome back', async () => {
    const { user, address } = await upload();
    await user.click(screen.getByRole('button', { name: 'Leave' }));
    await waitFor(() => expect(address()).toBe('/view-delivery/DR-1'));
    expect(sent('RecordOutcome')).toEqual([]);
  });

  it('keeps the outcome back also when the file has arrived', async () => {
    let answer: (answer: Answer) => void = () => undefined;
    stage.answers.AddAttachment = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const { user, put } = await upload();
    act(() => put.answer(200));
    await waitFor(() => expect(sent('AddAttachment')).toHaveLength(1));
    await user.click(screen.getByRole('button', { name: 'Leave' }));
    await waitFor(() => expect(screen.queryByRole('button', { name: /^Sav/ })).not.toBeInTheDocument());
    await act(async () => answer({ data: { addAttachment: { __typename: 'Attachment', id: 'a1' } } }));
    expect(sent('RecordOutcome')).toEqual([]);
  });
});
