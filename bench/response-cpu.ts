/** Loaded into each server before its own code: returns the run with the CPU time used so far. */
process.on('message', (message) => {
  if (message === 'cpu') process.send?.({ cpu: process.cpuUsage() })
})
process.on('disconnect', () => process.exit(1))
process.channel?.unref()
