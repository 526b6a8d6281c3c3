import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'

export type AnvilOptions = Readonly<{ port: number; chainId: number; blockTime: number | undefined }>
export type Anvil = Readonly<{ rpcUrl: string; stop(): Promise<void> }>

const archNames: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/** Starts anvil and waits until it listens. Port 0 takes a free port, chosen by the system and so free of races. */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const { port, chainId, blockTime } = options
  const args = ['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(chainId), '--no-request-size-limit']
  if (blockTime !== undefined) args.push('--block-time', String(blockTime), '--mixed-mining')
  const child = spawn(findBinary(), args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()))
  endWithParent(child)
  const address = await listeningAddress(child)
  return {
    rpcUrl: `http://${address}`,
    stop: () => {
      child.kill('SIGKILL')
      return exited
    },
  }
}

/** The platform's own binary: the package's launcher would be one more process between us and anvil. */
function findBinary(): string {
  const { platform } = process
  const name = `anvil-${platform}-${archNames[process.arch] ?? process.arch}`
  const launcher = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json')
  const manifest = createRequire(launcher).resolve(`@foundry-rs/${name}/package.json`)
  return path.join(path.dirname(manifest), 'bin', platform === 'win32' ? 'anvil.exe' : 'anvil')
}

/**
 * A parent that dies must not leave anvil behind. The exit hook covers a normal end; for every other one (signals,
 * SIGKILL) a shell waits on a pipe that only the parent holds: when the pipe closes without a word, it ends anvil.
 * The shell has its own process group, or Ctrl-C would end it before anvil.
 */
function endWithParent(child: ChildProcess): void {
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const { pid } = child
  if (process.platform === 'win32' || pid === undefined) {
    child.once('close', () => process.off('exit', kill))
    return
  }
  const watcher = spawn('/bin/sh', ['-c', 'read -r _ || kill -KILL "$1"', 'sh', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watcher.unref()
  watcher.stdin.on('error', () => undefined)
  child.once('close', () => {
    process.off('exit', kill)
    watcher.stdin.end('\n')
  })
}

/** Reads anvil's banner up to the address, then drains the output, which would block anvil once the pipe is full. */
function listeningAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      const address = /Listening on (\S+)/.exec(output)?.[1]
      if (address === undefined) return
      child.stdout?.off('data', read).resume()
      child.stderr?.off('data', read).resume()
      resolve(address)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('error', reject)
    child.once('close', () => reject(new Error(`anvil ended before it was ready: ${output.trim().slice(-500)}`)))
  })
}
